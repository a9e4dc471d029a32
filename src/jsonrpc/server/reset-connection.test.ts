import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { addressOf, Connections } from '#serve/connections.ts'
import { connectRaw, post } from '#serve/serve.fixture.ts'
import { CALL, dispatcherOf, RESULT, RESULT_ANSWER, startHttp, startWebSocket } from './server.fixture.ts'

const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
/** A masked text frame with the call; the mask is zero. */
const FRAME = Buffer.concat([Buffer.from([0x81, 0x80 | CALL.length, 0, 0, 0, 0]), Buffer.from(CALL)])

const RESETTING_CLIENT = `
const { connect } = require('node:net')
const { workerData: { port, bytes, count, state } } = require('node:worker_threads')
let left = count
for (let client = 0; client < count; client++) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('connect', () => socket.write(bytes, () => socket.resetAndDestroy()))
  socket.on('close', () => {
    if (--left > 0) return
    Atomics.store(state, 0, 1)
    Atomics.notify(state, 0)
  })
}
`

/** Clients that send a complete request and reset the connection while this thread, which serves them, is blocked. */
function resetBeforeAccepted(port: number, bytes: Uint8Array, count: number): Promise<void> {
  const state = new Int32Array(new SharedArrayBuffer(4))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const worker = new Worker(RESETTING_CLIENT, { eval: true, workerData: { port, bytes, count, state } })
  worker.on('error', reject)
  worker.on('exit', () => resolve())
  Atomics.wait(state, 0, 0, 20_000)
  assert.equal(state[0], 1, 'the clients have reset their connections')
  return promise
}

for (const [name, start, bytes] of [
  ['HTTP', startHttp, Buffer.from(post(CALL))],
  ['WebSocket', startWebSocket, Buffer.concat([Buffer.from(HANDSHAKE), FRAME])],
  ['HTTP, a login', startHttp, Buffer.from(post('{"username":"a","password":"b"}', undefined, '/login'))],
] as const) {
  test(`${name}: a request on a connection that was reset before it was accepted is not run`, async (t) => {
    const addresses: (string | undefined)[] = []
    const dispatcher = dispatcherOf((_, { remoteAddress }) => {
      addresses.push(remoteAddress)
      return RESULT_ANSWER
    })
    const authenticator = {
      refusesUnread: () => false,
      identify: () => ({ mayCall: () => true }),
      login: async (_: Uint8Array, remoteAddress: string) => {
        addresses.push(remoteAddress)
        return { status: 401, reason: 'no', contentType: null, body: '' }
      },
    }
    const { port } = await start(t, { dispatcher, authenticator })
    await resetBeforeAccepted(port, bytes, 20)
    // A later client is served by the same event loop, so the earlier connections are over.
    const http = await startHttp(t)
    const client = await connectRaw(t, http.port)
    client.send(post(CALL))
    await client.untilReceived(RESULT)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.deepEqual(addresses, [])
  })
}

test('a socket without an address gets no slot and is closed', () => {
  const slots = createConnectionSlots(1)
  const connections = new Connections(slots, 1, () => undefined)
  const [accepted, secured] = [new Socket(), new Socket()]
  connections.add(accepted)
  assert.equal(accepted.destroyed, true)
  assert.equal(connections.admit(secured), null)
  assert.equal(secured.destroyed, true)
  assert.equal(slots.taken, 0)
})

test('an address that is not known has a name, so a client is never taken for this process', () => {
  assert.equal(addressOf(new Socket()), 'unknown')
})
