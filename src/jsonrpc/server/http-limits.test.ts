import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, CallContext } from '#jsonrpc/dispatcher.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { SILENT_MAX } from '#serve/connections.ts'
import { connectRaw, keptLog, parseExchange, post } from '#serve/serve.fixture.ts'
import { Fault } from '#types/fault.ts'
import { CALL, dispatcherOf, HTTP_LIMITS, RESULT, RESULT_ANSWER, startHttp } from './server.fixture.ts'

/** A dispatcher whose calls end when the test says so. */
function heldDispatcher() {
  const arrived = Promise.withResolvers<CallContext>()
  const answer = Promise.withResolvers<Answer>()
  const dispatcher = dispatcherOf((_, context) => {
    arrived.resolve(context)
    return answer.promise
  })
  return { dispatcher, arrived: arrived.promise, answer: answer.resolve }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

const kindOf = (reason: unknown): string => (reason instanceof Fault ? reason.kind : String(reason))

test('a connection counts from its first request; the one over the limit is closed without an answer', async (t) => {
  const slots = createConnectionSlots(2)
  const { log, lines } = keptLog()
  const { port } = await startHttp(t, { slots, log })
  const idle = await Promise.all([1, 2, 3, 4].map(() => connectRaw(t, port)))
  assert.equal(slots.taken, 0)
  const [first, second, third] = idle
  for (const client of [first!, second!]) {
    client.send(post(CALL))
    await client.untilReceived(RESULT)
  }
  assert.equal(slots.taken, 2)
  third!.send(post(CALL))
  assert.equal(await third!.untilClosed(), '')
  assert.equal(idle[3]!.isClosed, false)
  assert.match(lines.join(''), /Closed a connection over the limit/)
  first!.socket.destroy()
  await first!.untilClosed()
  const later = await connectRaw(t, port)
  // The server sees the other end of the closed connection a moment later.
  while (slots.taken === 2) await new Promise((resolve) => setImmediate(resolve))
  later.send(post(CALL))
  await later.untilReceived(RESULT)
})

test('as many clients as the limit allows may connect before the first of them asks', async (t) => {
  const { port } = await startHttp(t, { slots: createConnectionSlots(SILENT_MAX + 1) })
  const clients = await Promise.all(Array.from({ length: SILENT_MAX + 1 }, () => connectRaw(t, port)))
  for (const client of clients) client.send(post(CALL))
  const texts = await Promise.all(clients.map((client) => client.untilReceived(RESULT)))
  assert.equal(texts.filter((text) => text.includes(RESULT)).length, clients.length)
})

test('a call over its time is answered 504 and its connection closed; its method hears of it', async (t) => {
  const clock = createFakeClock()
  const { dispatcher, arrived, answer } = heldDispatcher()
  const { port } = await startHttp(t, { clock, dispatcher })
  const client = await connectRaw(t, port)
  client.send(post(CALL))
  const { signal } = await arrived
  clock.advance(29_999)
  assert.equal(signal.aborted, false)
  clock.advance(1)
  assert.equal(kindOf(signal.reason), 'DEADLINE_EXCEEDED')
  const { statusLine, headers, body } = parseExchange(await client.untilClosed())
  assert.deepEqual(
    [statusLine, headers.connection, body],
    ['HTTP/1.1 504 Gateway Timeout', 'close', 'Gateway Timeout'],
  )
  answer(RESULT_ANSWER)
})

test('a batch over its time is answered 408, and its connection stays', async (t) => {
  const clock = createFakeClock()
  const { dispatcher, arrived } = heldDispatcher()
  const { port } = await startHttp(t, { clock, dispatcher })
  const client = await connectRaw(t, port)
  client.send(post(` \n[${CALL}]`))
  await arrived
  clock.advance(30_000)
  const { statusLine, body } = parseExchange(await client.untilReceived('}}'))
  assert.equal(statusLine, 'HTTP/1.1 408 Request Timeout')
  assert.equal(body, '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Timeout expired"}}')
  assert.equal(client.isClosed, false)
})

test('a stalled answer is aborted, and a moving one gets more time', async (t) => {
  const clock = createFakeClock()
  const step = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const piece = 'x'.repeat(70_000)
  async function* slowly() {
    for (const { promise } of step) {
      yield piece
      await promise
    }
  }
  const dispatcher = dispatcherOf(() => ({ kind: 'single', error: null, body: slowly() }))
  const { port } = await startHttp(t, { clock, dispatcher })
  const client = await connectRaw(t, port)
  client.send(post(CALL))
  await client.until(() => client.received.length > 70_000)
  clock.advance(20_000)
  step[0]!.resolve()
  await client.until(() => client.received.length > 140_000)
  clock.advance(20_000)
  assert.equal(client.isClosed, false)
  clock.advance(20_000)
  const received = await client.untilClosed()
  assert.ok(!received.endsWith('0\r\n\r\n'), 'the client can tell that the answer is not whole')
})

test('when the client leaves, the signal of its call aborts', async (t) => {
  const { dispatcher, arrived } = heldDispatcher()
  const { port } = await startHttp(t, { dispatcher })
  const client = await connectRaw(t, port)
  client.send(post(CALL))
  const { signal } = await arrived
  client.socket.destroy()
  await aborted(signal)
  assert.equal(kindOf(signal.reason), 'CANCELLED')
})

test('a signal that is first looked at after the client left is aborted already', async (t) => {
  const { dispatcher, arrived } = heldDispatcher()
  const slots = createConnectionSlots(2)
  const { port } = await startHttp(t, { dispatcher, slots })
  const client = await connectRaw(t, port)
  client.send(post(CALL))
  const context = await arrived
  client.socket.destroy()
  while (slots.taken > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(context.signal.aborted, true)
})

test('an endless answer is made only as fast as it is read, and ends when the client leaves', async (t) => {
  let made = 0
  const ended = Promise.withResolvers<void>()
  async function* endless() {
    try {
      for (;;) {
        made += 1
        yield 'x'.repeat(100_000)
      }
    } finally {
      ended.resolve()
    }
  }
  const dispatcher = dispatcherOf(() => ({ kind: 'single', error: null, body: endless() }))
  const { port } = await startHttp(t, { dispatcher })
  const client = await connectRaw(t, port)
  client.socket.pause()
  client.send(post(CALL))
  for (let seen = -1; seen !== made || made === 0; ) {
    seen = made
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  // What the system buffers for two sockets on loopback, and a little of ours.
  assert.ok(made < 200, `${made} pieces were made for a client that reads none`)
  client.socket.destroy()
  await ended.promise
})

test('a failure after the answer began aborts it, and an earlier failure is 500', async (t) => {
  async function* failing(start: string) {
    yield start
    throw new Error('the source failed')
  }
  const { log, lines } = keptLog()
  const dispatcher = dispatcherOf((message) => ({
    kind: 'single',
    error: null,
    body: failing(message === 'early' ? '' : 'x'.repeat(100_000)),
  }))
  const { port } = await startHttp(t, { dispatcher, log })
  const early = await connectRaw(t, port)
  early.send(post('early'))
  assert.match(await early.untilReceived('Error\r\n'), /^HTTP\/1\.1 500 Internal Server Error/)
  const late = await connectRaw(t, port)
  late.send(post('late'))
  const received = await late.untilClosed()
  assert.match(received, /^HTTP\/1\.1 200 OK/)
  assert.ok(!received.endsWith('0\r\n\r\n'))
  assert.equal(lines.filter((line) => line.includes('the source failed')).length > 0, true)
})

test('a client that pipelines without end, by number or by size, is cut off', async (t) => {
  for (const [body, times] of [
    [CALL, 300],
    [' '.repeat(60_000), 20],
  ] as const) {
    const { dispatcher, arrived } = heldDispatcher()
    const { port } = await startHttp(t, { dispatcher })
    const client = await connectRaw(t, port)
    client.send(post(body).repeat(times))
    await arrived
    assert.equal(await client.untilClosed(), '')
  }
})

test('stopping answers what is under way, accepts nothing more and closes the rest', async (t) => {
  const { dispatcher, arrived, answer } = heldDispatcher()
  const server = await startHttp(t, { dispatcher })
  const [busy, idle] = [await connectRaw(t, server.port), await connectRaw(t, server.port)]
  busy.send(post(CALL))
  await arrived
  const stopped = server.stop(new AbortController().signal)
  await assert.rejects(fetch(`http://127.0.0.1:${server.port}/`))
  answer(RESULT_ANSWER)
  await stopped
  assert.match(await busy.untilClosed(), /200 OK.*0x539/s)
  assert.equal(await idle.untilClosed(), '')
})

test('stopping cuts off what is left when its signal aborts', async (t) => {
  const { dispatcher, arrived } = heldDispatcher()
  const server = await startHttp(t, { dispatcher })
  const client = await connectRaw(t, server.port)
  client.send(post(CALL))
  const { signal } = await arrived
  const deadline = new AbortController()
  const stopped = server.stop(deadline.signal)
  deadline.abort()
  await stopped
  assert.equal(await client.untilClosed(), '')
  assert.equal(signal.aborted, true)
})

test('many large bodies at once are refused with 503 before they take more than their share', async (t) => {
  const bodyMaxBytes = 1_000_000
  const { port } = await startHttp(t, { limits: { ...HTTP_LIMITS, bodyMaxBytes } })
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bodyMaxBytes}\r\n\r\n`
  const clients = await Promise.all(Array.from({ length: 60 }, () => connectRaw(t, port)))
  for (const client of clients) client.send(`${head}${' '.repeat(bodyMaxBytes - 1)}`)
  const refused = clients.map((client) => client.untilReceived('503 Service Unavailable'))
  await Promise.any(refused)
  assert.ok(clients.some((client) => client.received === ''))
})

test('a port in use and a foreign address are explained with the option to change', async (t) => {
  const { port } = await startHttp(t)
  await assert.rejects(startHttp(t, { port }), (error) => {
    assert.equal(kindOf(error), 'ADDRESS_IN_USE')
    assert.match((error as Error).message, new RegExp(`Port ${port} .* --rpc-http-port`))
    return true
  })
  await assert.rejects(startHttp(t, { host: '203.0.113.1' }), (error) => {
    assert.equal(kindOf(error), 'ADDRESS_NOT_AVAILABLE')
    return /--rpc-http-host/.test((error as Error).message)
  })
})

test('a caller over its limits is answered with 429 and when to come back', async (t) => {
  const refused: Answer = { kind: 'single', error: 'LIMIT_EXCEEDED', body: RESULT, retryAfterSeconds: 7 }
  const server = await startHttp(t, { dispatcher: dispatcherOf(() => refused) })
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: CALL })
  assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '7'])
  assert.equal(await response.text(), RESULT)
})
