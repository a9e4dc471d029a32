import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import type { Answer, CallContext } from '#jsonrpc/dispatcher.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { connectRaw, exchange, keptLog, post } from '#serve/serve.fixture.ts'
import {
  CALL,
  dispatcherOf,
  openAuthenticator,
  RESULT,
  RESULT_ANSWER,
  startWebSocket,
} from './server.fixture.ts'

const NOT_A_WEBSOCKET = "Websocket endpoint can't handle HTTP requests"

class Client {
  readonly socket: WebSocket
  readonly messages: string[] = []
  readonly closed = Promise.withResolvers<number>()
  reason = ''
  readonly refused = Promise.withResolvers<string>()
  #onChange: (() => void) | undefined

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (message, isBinary) => {
      assert.equal(isBinary, false, 'replies are text')
      this.messages.push(String(message))
      this.#onChange?.()
    })
    socket.on('error', (error) => this.refused.resolve(error.message))
    socket.on('close', (code, reason) => {
      this.reason = String(reason)
      this.closed.resolve(code)
    })
  }

  async untilMessages(count: number): Promise<readonly string[]> {
    while (this.messages.length < count) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
    return this.messages
  }
}

interface ConnectOptions {
  readonly path?: string
  readonly protocols?: string[]
  readonly headers?: Record<string, string>
  readonly perMessageDeflate?: boolean
}

function dial(t: TestContext, port: number, options: ConnectOptions = {}): Client {
  const { path = '/', protocols = [], headers = {}, perMessageDeflate = false } = options
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers, perMessageDeflate })
  t.after(() => socket.terminate())
  return new Client(socket)
}

async function connect(t: TestContext, port: number, options: ConnectOptions = {}): Promise<Client> {
  const client = dial(t, port, options)
  await new Promise<void>((resolve, reject) => {
    client.socket.once('open', () => resolve())
    client.socket.once('error', reject)
  })
  return client
}

const settle = async (turns = 20): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('any path upgrades; text and binary messages are answered with text', async (t) => {
  const { port } = await startWebSocket(t)
  for (const path of ['/', '/ws', '/foo?x=1', '/login']) {
    const client = await connect(t, port, { path })
    client.socket.send(CALL)
    client.socket.send(Buffer.from(CALL))
    assert.deepEqual(await client.untilMessages(2), [RESULT, RESULT])
  }
})

test('the subprotocol "undefined" is granted, others are not', async (t) => {
  const { port } = await startWebSocket(t)
  const granted = await connect(t, port, { protocols: ['foo', 'undefined'] })
  assert.equal(granted.socket.protocol, 'undefined')
  const other = dial(t, port, { protocols: ['foo'] })
  assert.match(await other.refused.promise, /no subprotocol/)
})

test('foreign hosts are refused at the handshake in nine bytes', async (t) => {
  const { port } = await startWebSocket(t)
  const foreign = dial(t, port, { headers: { host: 'evil.example' } })
  assert.match(await foreign.refused.promise, /403/)
  const client = await connectRaw(t, port)
  const upgrade = ['GET / HTTP/1.1', 'Host: evil.example', 'Connection: Upgrade', 'Upgrade: websocket']
  client.send(`${upgrade.join('\r\n')}\r\n\r\n`)
  const text = await client.untilClosed()
  assert.match(text, /^HTTP\/1\.1 403 Forbidden\r\n.*content-length: 9\r\n\r\nForbidden$/s)
})

test('pages of foreign origins open no connection, and do not log in', async (t) => {
  const foreign = { headers: { origin: 'https://evil.example' } }
  const allowed = { headers: { origin: 'https://app.example' } }
  const corsOrigins = ['https://app\\.example']
  const { port } = await startWebSocket(t, { corsOrigins })
  assert.match(await dial(t, port, foreign).refused.promise, /403/)
  const client = await connect(t, port, allowed)
  client.socket.send(CALL)
  assert.deepEqual(await client.untilMessages(1), [RESULT])
  const login = (origin: string) =>
    exchange(t, port, post('{}', ['Host: localhost', `Origin: ${origin}`], '/login'))
  const refused = await login('https://evil.example')
  assert.equal(refused.statusLine, 'HTTP/1.1 403 CORS Rejected - Invalid origin')
  const admitted = await login('https://app.example')
  assert.equal(admitted.statusLine, 'HTTP/1.1 400 Authentication not enabled')
  assert.equal(admitted.headers['access-control-allow-origin'], 'https://app.example')
  const closed = await startWebSocket(t)
  assert.match(await dial(t, closed.port, allowed).refused.promise, /403/)
})

test('plain HTTP is refused, except POST /login', async (t) => {
  const authenticator = {
    ...openAuthenticator,
    login: async () => ({
      status: 200,
      reason: 'OK',
      contentType: 'application/json',
      body: '{"token":"t"}',
    }),
  }
  const { port } = await startWebSocket(t, { authenticator })
  const html = ['Host: localhost', 'Accept: text/html']
  for (const request of [
    post(CALL),
    post('{}', html, '/login'),
    'GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ]) {
    const { statusLine, headers, body } = await exchange(t, port, request)
    assert.deepEqual([statusLine, body], ['HTTP/1.1 400 Bad Request', NOT_A_WEBSOCKET])
    assert.deepEqual([headers.vary, headers['content-type']], [undefined, undefined])
  }
  const login = await exchange(t, port, post('{}', undefined, '/login'))
  assert.deepEqual([login.statusLine, login.body], ['HTTP/1.1 200 OK', '{"token":"t"}'])
  const offersHttp2 = ['Host: localhost', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c']
  assert.equal((await exchange(t, port, post('{}', offersHttp2, '/login'))).body, '{"token":"t"}')
  const foreign = await exchange(t, port, post('{}', ['Host: evil.example'], '/login'))
  assert.deepEqual(
    [foreign.statusLine, foreign.headers['content-type'], foreign.body],
    ['HTTP/1.1 403 Forbidden', 'application/json; charset=utf-8', '{"message":"Host not authorized."}'],
  )
})

test('frames and messages over their limits are closed with 1009', async (t) => {
  const { port } = await startWebSocket(t)
  const large = 'x'.repeat(70_000)
  const frame = await connect(t, port)
  frame.socket.send(large)
  assert.equal(await frame.closed.promise, 1009)
  const fits = await connect(t, port)
  for (let part = 0; part < 4; part += 1) fits.socket.send(large.slice(0, 60_000), { fin: part === 3 })
  assert.deepEqual(await fits.untilMessages(1), [RESULT])
  const message = await connect(t, port)
  for (let part = 0; part < 5; part += 1) message.socket.send(large.slice(0, 60_000), { fin: part === 4 })
  assert.equal(await message.closed.promise, 1009)
})

test('compression is accepted, and the inflated size of a message is limited', async (t) => {
  const echo = dispatcherOf((message) => ({ kind: 'single', error: null, body: message }))
  const { port } = await startWebSocket(t, { dispatcher: echo })
  const client = await connect(t, port, { perMessageDeflate: true })
  assert.match(client.socket.extensions, /permessage-deflate/)
  const text = `"${'abc'.repeat(20_000)}"`
  client.socket.send(text)
  assert.deepEqual(await client.untilMessages(1), [text])
  client.socket.send(Buffer.alloc(30_000_000, 'a'))
  assert.equal(await client.closed.promise, 1009)
})

test('nesting is refused before it is parsed', async (t) => {
  const { port } = await startWebSocket(t)
  const client = await connect(t, port)
  client.socket.send('['.repeat(65))
  assert.match((await client.untilMessages(1))[0]!, /-32700/)
})

test('the caller is checked again for every message, by the header of the handshake', async (t) => {
  let isValid = true
  const identify = (authorization: string | undefined) => {
    const mayCall = authorization === 'Bearer t' && isValid
    return { mayCall: () => mayCall }
  }
  const dispatcher = dispatcherOf((_, { caller }) => ({
    kind: 'single',
    error: null,
    body: String(caller.mayCall('eth_chainId')),
  }))
  const { port } = await startWebSocket(t, { dispatcher, authenticator: { ...openAuthenticator, identify } })
  const client = await connect(t, port, { headers: { authorization: 'Bearer t' } })
  client.socket.send(CALL)
  await client.untilMessages(1)
  isValid = false
  client.socket.send(CALL)
  assert.deepEqual(await client.untilMessages(2), ['true', 'false'])
})

test('answers overtake each other, and nothing is sent for a notification', async (t) => {
  const slow = Promise.withResolvers<Answer>()
  const dispatcher = dispatcherOf((message) => {
    if (message === 'slow') return slow.promise
    return message === 'notification' ? { kind: 'nothing' } : RESULT_ANSWER
  })
  const { port } = await startWebSocket(t, { dispatcher })
  const client = await connect(t, port)
  for (const message of ['slow', 'notification', 'fast']) client.socket.send(message)
  assert.deepEqual(await client.untilMessages(1), [RESULT])
  slow.resolve({ kind: 'single', error: null, body: 'late' })
  assert.deepEqual(await client.untilMessages(2), [RESULT, 'late'])
})

test('a connection has a bounded number of calls under way; the rest waits unread', async (t) => {
  const waiting: (() => void)[] = []
  const dispatcher = dispatcherOf(
    () => new Promise<Answer>((resolve) => waiting.push(() => resolve(RESULT_ANSWER))),
  )
  const { port } = await startWebSocket(t, { dispatcher })
  const client = await connect(t, port)
  const count = 1_000
  for (let sent = 0; sent < count; sent += 1) client.socket.send(`${CALL}${' '.repeat(1_000)}`)
  await settle()
  assert.equal(waiting.length, 16)
  while (client.messages.length < count) {
    const [answer] = waiting.splice(0, 1)
    answer?.()
    assert.ok(waiting.length <= 16)
    await settle(1)
  }
})

test('a flooding client is read a little at a time, and others get their turns', async (t) => {
  let inThisTurn = 0
  let mostInATurn = 0
  const dispatcher = dispatcherOf(() => {
    if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0))
    inThisTurn += 1
    mostInATurn = Math.max(mostInATurn, inThisTurn)
    return RESULT_ANSWER
  })
  const { port } = await startWebSocket(t, { dispatcher })
  const client = await connect(t, port)
  const message = `"${'x'.repeat(30_000)}"`
  for (let count = 0; count < 300; count++) client.socket.send(message)
  await client.untilMessages(300)
  assert.ok(mostInATurn <= 8, `${mostInATurn} messages of 30 kB in one turn`)
})

test('long answers come whole, and short ones do not break into them', async (t) => {
  const long = '😀é'.repeat(200_000)
  async function* chunks() {
    for (let at = 0; at < long.length; at += 999) yield long.slice(at, at + 999)
  }
  const bodies: Record<string, Answer> = {
    whole: { kind: 'single', error: null, body: long },
    chunks: { kind: 'batch', body: chunks() },
  }
  const dispatcher = dispatcherOf((message) => bodies[message] ?? RESULT_ANSWER)
  const { port } = await startWebSocket(t, { dispatcher })
  const client = await connect(t, port)
  for (const message of ['whole', 'chunks', 'short']) client.socket.send(message)
  const received = await client.untilMessages(3)
  assert.deepEqual(
    received.map((text) => text.length).toSorted(),
    [RESULT.length, long.length, long.length].toSorted(),
  )
  assert.ok(received.every((text) => text === long || text === RESULT))
})

test('a client that does not read is disconnected at a fixed number of bytes, with the reason', async (t) => {
  const { log, lines } = keptLog()
  const body = 'x'.repeat(2_000_000)
  let made = 0
  const dispatcher = dispatcherOf(() => {
    made += 1
    return { kind: 'single', error: null, body }
  })
  const { port } = await startWebSocket(t, { dispatcher, log })
  const client = await connect(t, port)
  client.socket.pause()
  for (let sent = 0; sent < 1_000; sent += 1) client.socket.send(CALL)
  while (!lines.some((line) => line.includes('does not read'))) await settle()
  assert.ok(made <= 40, `${made} answers of 2 MB were made for it`)
  client.socket.resume()
  assert.equal(await client.closed.promise, 1008)
  assert.equal(client.reason, 'too much waits for this client: read faster or ask for less')
})

test('when the client leaves, the signals of its calls abort', async (t) => {
  const arrived = Promise.withResolvers<CallContext>()
  const dispatcher = dispatcherOf((_, context) => {
    arrived.resolve(context)
    return new Promise<Answer>(() => undefined)
  })
  const { port } = await startWebSocket(t, { dispatcher })
  const client = await connect(t, port)
  client.socket.send(CALL)
  const { signal } = await arrived.promise
  client.socket.terminate()
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
})

test('a call over its deadline gets an error, and its answer is still sent', async (t) => {
  const clock = createFakeClock()
  const arrived = Promise.withResolvers<void>()
  const dispatcher = dispatcherOf(
    (_, { signal }) =>
      new Promise<Answer>((resolve) => {
        signal.addEventListener('abort', () => resolve(RESULT_ANSWER))
        arrived.resolve()
      }),
  )
  const { port } = await startWebSocket(t, { dispatcher, clock })
  const client = await connect(t, port)
  client.socket.send(CALL)
  await arrived.promise
  clock.advance(30_000)
  assert.deepEqual(await client.untilMessages(1), [RESULT])
})

test('a silent connection is closed, and one that answers pings is not', async (t) => {
  const clock = createFakeClock()
  const { port } = await startWebSocket(t, { clock })
  const live = await connect(t, port)
  const dead = await connect(t, port)
  dead.socket.pause()
  const pinged = new Promise<void>((resolve) => live.socket.once('ping', () => resolve()))
  clock.advance(30_000)
  await pinged
  live.socket.send(CALL)
  await live.untilMessages(1)
  clock.advance(30_000)
  dead.socket.resume()
  assert.equal(await dead.closed.promise, 1006)
  assert.equal(live.socket.readyState, WebSocket.OPEN)
})

test('connections over the limit are hung up on', async (t) => {
  const { port } = await startWebSocket(t, { slots: createConnectionSlots(2) })
  await connect(t, port)
  const second = await connect(t, port)
  assert.match(await dial(t, port).refused.promise, /socket hang up|ECONNRESET/)
  second.socket.send(CALL)
  assert.deepEqual(await second.untilMessages(1), [RESULT])
})

test('stopping answers what is under way and says goodbye with 1001', async (t) => {
  const answer = Promise.withResolvers<Answer>()
  const arrived = Promise.withResolvers<void>()
  const dispatcher = dispatcherOf(() => {
    arrived.resolve()
    return answer.promise
  })
  const server = await startWebSocket(t, { dispatcher })
  const [busy, idle] = [await connect(t, server.port), await connect(t, server.port)]
  busy.socket.send(CALL)
  await arrived.promise
  const stopped = server.stop(new AbortController().signal)
  assert.equal(await idle.closed.promise, 1001)
  answer.resolve(RESULT_ANSWER)
  assert.equal(await busy.closed.promise, 1001)
  assert.deepEqual(busy.messages, [RESULT])
  await stopped
})

test('stopping cuts off what is left when its signal aborts', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const dispatcher = dispatcherOf(() => {
    arrived.resolve()
    return new Promise<Answer>(() => undefined)
  })
  const server = await startWebSocket(t, { dispatcher })
  const client = await connect(t, server.port)
  client.socket.send(CALL)
  await arrived.promise
  await server.stop(AbortSignal.abort())
  assert.equal(await client.closed.promise, 1006)
})
