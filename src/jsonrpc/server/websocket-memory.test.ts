import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { queryObjects } from 'node:v8'
import { deflateRawSync } from 'node:zlib'
import type { Authenticator } from '#jsonrpc/auth/create-authenticator.ts'
import type { Answer, Connection } from '#jsonrpc/dispatcher.ts'
import { collectGarbage } from '#platform/bound-memory.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { connectRaw, type RawClient } from '#serve/serve.fixture.ts'
import { dispatcherOf, openAuthenticator, RESULT, startWebSocket } from './server.fixture.ts'

/* What little bytes swell to, seen from outside: by what the process holds, and by who is let go. */

const MIB = 1024 * 1024
const LIMITS = { frameMaxBytes: MIB, timeoutMs: 30_000 }
const MESSAGE_MAX_BYTES = 4 * MIB
const TEXT = 0x1
const CONTINUATION = 0x0
const PING = 0x9
const FINAL = 0x80
const COMPRESSED = 0x40
const TRY_AGAIN_LATER = 1013
const POLICY_VIOLATION = 1008
const TOO_BIG = 1009

/** As a client sends it; the mask is zero, which is allowed and leaves the payload as it is. */
function frame(payload: Uint8Array, first = FINAL | TEXT): Buffer {
  const { length } = payload
  assert.ok(length < 65_536, 'longer frames are not made here')
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([first, ...size, 0, 0, 0, 0]), payload])
}

/** Some 4 KB that swell to the given size. */
function bomb(bytes: number, first = FINAL | COMPRESSED | TEXT): Buffer {
  const packed = deflateRawSync(Buffer.alloc(bytes, ' '), { level: 9, finishFlush: 2 })
  // The last four bytes are left out at the end of a message, and there only.
  return frame(first & FINAL ? packed.subarray(0, -4) : packed, first)
}

async function open(t: TestContext, port: number, extensions = 'permessage-deflate'): Promise<RawClient> {
  const client = await connectRaw(t, port)
  const lines = [
    'GET / HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Extensions: ${extensions}`,
  ]
  client.send(`${lines.join('\r\n')}\r\n\r\n`)
  await client.untilReceived('\r\n\r\n')
  return client
}

/** Of the close frame that was received last; null: none was. */
function closeCodeOf({ received }: RawClient): number | null {
  const at = received.lastIndexOf('\x88')
  return at === -1 ? null : Buffer.from(received, 'latin1').readUInt16BE(at + 2)
}

/**
 * The most that is held, without garbage: a busy machine collects that later. Garbage is collected only if there is more than
 * ever before, since collecting takes the time that the server on this thread needs.
 */
async function growthWhile(run: () => Promise<void>): Promise<number> {
  let most = 0
  const held = async (): Promise<number> => {
    if (process.memoryUsage().arrayBuffers > most) await collectGarbage()
    return process.memoryUsage().arrayBuffers
  }
  const before = await held()
  most = before
  let isOver = false
  const over = run().finally(() => {
    isOver = true
  })
  while (!isOver) {
    most = Math.max(most, await held())
    await pause(5)
  }
  await over
  return most - before
}

/** Without the look for signs of life: these clients give none, and on a busy machine they would be cut off for it. */
const PATIENT: Clock = { ...systemClock, every: () => ({ cancel: () => undefined }) }

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('messages that swell are not unpacked before there is time for them', async (t) => {
  let begun = 0
  const dispatcher = dispatcherOf(() => {
    begun += 1
    return new Promise<Answer>(() => undefined)
  })
  const { port } = await startWebSocket(t, { limits: LIMITS, dispatcher, clock: PATIENT })
  const swelling = bomb(MESSAGE_MAX_BYTES - 16)
  // As many calls as may be under way, then what has to wait; all in what is read from the socket at once.
  const calls = Array.from({ length: 16 }, () => frame(Buffer.from('{}')))
  const chunk = Buffer.concat([...calls, ...Array.from({ length: 15 }, () => swelling)])
  const clients = await Promise.all(Array.from({ length: 4 }, () => open(t, port)))
  const growth = await growthWhile(async () => {
    for (const client of clients) client.send(chunk)
    while (begun < 4 * 16) await pause(10)
    await pause(700)
  })
  assert.ok(growth < 64 * MIB, `${chunk.length} bytes on each of 4 connections became ${growth / MIB} MiB`)
})

test('the inflated size of all messages has a limit, and short messages still pass', async (t) => {
  const { port } = await startWebSocket(t, { limits: LIMITS, clock: PATIENT })
  const unfinished = bomb(MESSAGE_MAX_BYTES - 16, COMPRESSED | TEXT)
  const clients = await Promise.all(Array.from({ length: 40 }, () => open(t, port)))
  const refused = (): number => clients.filter((client) => closeCodeOf(client) === TRY_AGAIN_LATER).length
  const growth = await growthWhile(async () => {
    for (const client of clients) client.send(unfinished)
    while (refused() < 36) await pause(20)
  })
  // 16 MiB, and 128 KiB on each connection.
  assert.equal(refused(), 36, 'all but four')
  assert.ok(growth < 96 * MIB, `40 messages became ${growth / MIB} MiB`)
  const honest = await open(t, port)
  honest.send(frame(Buffer.from('{"id":1}')))
  assert.match(await honest.untilReceived(RESULT), /0x539/)
  // What those who left had held is free again.
  for (const client of clients) client.socket.destroy()
  await pause(50)
  const later = await open(t, port)
  later.send(unfinished)
  later.send(bomb(10, FINAL | CONTINUATION))
  assert.match(await later.untilReceived(RESULT), /0x539/)
})

test('a message that does not end is cut off', async (t) => {
  const clock = createFakeClock()
  const { port } = await startWebSocket(t, { limits: LIMITS, clock })
  const client = await open(t, port)
  client.send(bomb(MIB, COMPRESSED | TEXT))
  const ping = frame(Buffer.from('x'), FINAL | 0x9)
  for (let looks = 0; looks < 5 && !client.isClosed; looks += 1) {
    client.send(ping)
    await client.untilReceived('\x8a\x01x')
    client.received = ''
    clock.advance(30_000)
    await pause(20)
  }
  assert.ok(client.isClosed, 'after 150 s')
})

test('a client without a token may only send short, uncompressed messages', async (t) => {
  const authenticator: Authenticator = {
    ...openAuthenticator,
    identify: (authorization) =>
      authorization === undefined ? { mayCall: () => false, isAnonymous: true } : { mayCall: () => true },
  }
  const { port } = await startWebSocket(t, { limits: LIMITS, authenticator })
  const stranger = await open(t, port)
  assert.doesNotMatch(stranger.received, /permessage-deflate/)
  stranger.send(frame(Buffer.alloc(60_000, ' ')))
  await stranger.untilReceived(RESULT)
  const part = Buffer.alloc(60_000, ' ')
  for (let count = 0; count < 9; count += 1) stranger.send(frame(part, count === 0 ? TEXT : CONTINUATION))
  await stranger.until(() => closeCodeOf(stranger) !== null || stranger.isClosed)
  assert.equal(closeCodeOf(stranger), TOO_BIG)
})

test('a message counts for what it becomes, until the last piece of its answer is sent', async (t) => {
  const stuck = new Promise<string>(() => undefined)
  async function* endless() {
    yield 'x'.repeat(200_000)
    yield stuck
  }
  const { port } = await startWebSocket(t, {
    limits: LIMITS,
    dispatcher: dispatcherOf(() => ({ kind: 'batch', body: endless() })),
  })
  const batch = deflateRawSync(`[${'{},'.repeat(250_000)}{}]`, { finishFlush: 2 }).subarray(0, -4)
  const clients: RawClient[] = []
  for (let count = 0; count < 3; count += 1) {
    const client = await open(t, port)
    clients.push(client)
    client.received = ''
    client.send(frame(batch, FINAL | COMPRESSED | TEXT))
    // Either the first piece of the answer, or the close frame.
    await client.until(() => client.received !== '')
  }
  assert.deepEqual(clients.map(closeCodeOf), [null, TRY_AGAIN_LATER, TRY_AGAIN_LATER])
})

test('notifications held for a call count towards the limit of all clients', async (t) => {
  const held: Connection[] = []
  const dispatcher = dispatcherOf((_message, { connection }) => {
    held.push(connection!)
    return new Promise<Answer>(() => undefined)
  })
  const { port } = await startWebSocket(t, { limits: LIMITS, dispatcher, clock: PATIENT })
  const clients = await Promise.all(Array.from({ length: 10 }, () => open(t, port)))
  for (const client of clients) client.send(frame(Buffer.from('{}')))
  while (held.length < clients.length) await pause(10)
  const shared = 'x'.repeat(MIB)
  for (let count = 0; count < 6; count++) {
    for (const connection of held) connection.notify('m', { before: '', shared: shared + count, after: '' })
  }
  await pause(100)
  assert.deepEqual(clients.map(closeCodeOf), Array(10).fill(null), 'what all of them share counts once')
  for (const [index, connection] of held.entries()) {
    for (let count = 0; count < 9; count++) connection.notify('m', `"${count}${index}${shared}"`)
  }
  await clients[0]!.until(() => clients.some((client) => closeCodeOf(client) === POLICY_VIOLATION))
  await pause(100)
  const closed = clients.filter((client) => closeCodeOf(client) === POLICY_VIOLATION)
  assert.ok(closed.length < 10, `${closed.length} are closed`)
})

test('clients that are closed let go of their large texts at once', async (t) => {
  const connections: Connection[] = []
  let closed = 0
  const dispatcher = dispatcherOf((_message, { connection }) => {
    connections.push(connection!)
    connection!.onClose(() => void closed++)
    return { kind: 'single', error: null, body: RESULT }
  })
  const { port } = await startWebSocket(t, { limits: LIMITS, dispatcher, clock: PATIENT })
  const clients = await Promise.all(Array.from({ length: 40 }, () => open(t, port, 'unknown')))
  for (const client of clients) client.send(frame(Buffer.from('{}')))
  await Promise.all(clients.map((client) => client.untilReceived(RESULT)))
  for (const { socket } of clients) socket.pause()
  await collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  for (const [index, connection] of connections.entries()) {
    connection.notify('m', { before: '', shared: `${index}`.padEnd(8 * MIB, 'x'), after: '' })
    // Until the system takes no more.
    await pause(30)
  }
  await collectGarbage()
  const heap = process.memoryUsage().heapUsed - heapBefore
  assert.ok(closed > 20, `${closed} are closed`)
  assert.ok(heap < 100 * MIB, `the heap grew by ${heap / MIB} MiB`)
})

test('pings of a client that does not read take no memory', async (t) => {
  const { port } = await startWebSocket(t, { limits: LIMITS, clock: PATIENT })
  const client = await open(t, port)
  client.socket.pause()
  const pings = Buffer.concat(
    Array.from({ length: 1_000 }, () => frame(Buffer.alloc(125, 'x'), FINAL | PING)),
  )
  await collectGarbage()
  const before = process.memoryUsage()
  for (let count = 0; count < 300; count++) {
    if (!client.socket.write(pings)) await once(client.socket, 'drain')
  }
  await collectGarbage()
  const after = process.memoryUsage()
  const growth = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  assert.ok(growth < 16 * MIB, `300,000 pings became ${growth / MIB} MiB`)
  client.send(frame(Buffer.from('last'), FINAL | PING))
  client.socket.resume()
  await client.untilReceived('\x8a\x04last')
})

test('a connection does not keep the request of its handshake', async (t) => {
  const { port } = await startWebSocket(t, { limits: LIMITS, clock: PATIENT })
  const before = queryObjects(IncomingMessage, { format: 'count' })
  const clients = await Promise.all(Array.from({ length: 8 }, () => open(t, port)))
  await collectGarbage()
  const kept = queryObjects(IncomingMessage, { format: 'count' }) - before
  assert.ok(kept < clients.length, `${kept} requests are in memory`)
})
