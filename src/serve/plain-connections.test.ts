import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { PlainRequest } from './plain-request.ts'
import { connectRaw, keptLog, post } from './serve.fixture.ts'
import { type HttpHandler, serveHttp } from './serve-http.ts'

const OK = { status: 200, reason: 'OK', contentType: 'text/plain' }

async function start(t: TestContext, handle: HttpHandler) {
  const clock = createFakeClock()
  const server = await serveHttp(
    {
      slots: createConnectionSlots(10),
      limits: { timeoutMs: 1_000 },
      clock,
      log: keptLog().log,
      hostAllowlist: ['localhost'],
    },
    { host: '127.0.0.1', port: 0, hostOption: '--page-host', portOption: '--page-port' },
    handle,
  )
  t.after(() => server.stop(AbortSignal.abort()))
  return { server, clock, port: server.port }
}

/** Answers with the reader of the request. */
const nameReader: HttpHandler = (request, responder) => {
  const body = request instanceof PlainRequest ? 'plain.' : 'node.'
  responder.send({ ...OK, body })
  return null
}

test('a connection changes to node:http with its first unusual request and stays there', async (t) => {
  const { port } = await start(t, nameReader)
  const client = await connectRaw(t, port)
  for (const [request, answer] of [
    [post('{}'), 'plain.'],
    [post('{}'), 'plain.plain.'],
    [post('{}', ['Host: localhost', 'Origin: http://page.example']), 'plain.plain.node.'],
    [post('{}'), 'plain.plain.node.node.'],
  ] as const) {
    client.send(request)
    const bodies = () => client.received.match(/(plain|node)\./g)?.join('')
    await client.until(() => bodies() === answer)
  }
})

test('a request in several pieces is read by node:http without losing a byte', async (t) => {
  const body = 'a body in pieces'
  const { port } = await start(t, (request, responder) => {
    assert.ok(!(request instanceof PlainRequest))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => responder.send({ ...OK, body: `<${Buffer.concat(chunks)}>` }))
    return null
  })
  const text = post(body)
  for (const cut of [1, 10, text.length - body.length - 2, text.length - body.length, text.length - 1]) {
    const client = await connectRaw(t, port)
    client.send(text.slice(0, cut))
    await new Promise((resolve) => setTimeout(resolve, 5))
    client.send(text.slice(cut))
    assert.match(await client.untilReceived('>'), /<a body in pieces>$/)
  }
})

test('a request that arrives before the answer to the request before is answered after it', async (t) => {
  const waiting: (() => void)[] = []
  const { port } = await start(t, (request, responder) => {
    const body = request instanceof PlainRequest ? 'first.' : 'second.'
    waiting.push(() => responder.send({ ...OK, body }))
    return null
  })
  const untilWaiting = async (): Promise<() => void> => {
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    return waiting.shift()!
  }
  const client = await connectRaw(t, port)
  client.send(post('1'))
  const answerFirst = await untilWaiting()
  client.send(post('2'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(waiting.length, 0)
  answerFirst()
  await client.untilReceived('first.')
  const answerSecond = await untilWaiting()
  answerSecond()
  const received = await client.untilReceived('second.')
  assert.ok(received.indexOf('first.') < received.indexOf('second.'))
})

test('both readers write the same bytes', async (t) => {
  const long = 'long '.repeat(100_000)
  const { port } = await start(t, (request, responder) => {
    responder.addHeader('x-kind', 'any')
    const kind = request.headers['x-answer']
    async function* pieces() {
      yield 'one '
      yield ''
      yield 'two'
    }
    if (kind === 'pieces') void responder.sendPieces(OK, pieces(), () => undefined)
    else if (kind === 'long') void responder.sendPieces(OK, long, () => undefined)
    else if (kind === 'closes') responder.send({ ...OK, body: 'the last', closes: true })
    else responder.send({ ...OK, body: kind === 'unicode' ? 'zwölf €' : 'short' })
    return null
  })
  const cases = ['', 'unicode', 'pieces', 'long', 'closes'].flatMap((kind) =>
    ['identity', 'gzip'].map((coding) => [`X-Answer: ${kind}`, `Accept-Encoding: ${coding}`]),
  )
  for (const headers of [...cases, ['X-Host: foreign']]) {
    const host = headers[0] === 'X-Host: foreign' ? 'Host: foreign.example' : 'Host: localhost'
    const texts: string[] = []
    for (const cut of [0, 5]) {
      const client = await connectRaw(t, port)
      const text = post('{}', [host, ...headers])
      client.send(text.slice(0, cut))
      await new Promise((resolve) => setTimeout(resolve, cut))
      client.send(text.slice(cut))
      await client.untilReceived('\r\n\r\n')
      let before = -1
      // Until a pause: the forms of an end differ.
      while (before !== client.received.length) {
        before = client.received.length
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
      texts.push(client.received)
      client.socket.destroy()
    }
    assert.equal(texts[0], texts[1], headers.join())
  }
})

test('the handler learns whether its client has the answer', async (t) => {
  const outcomes: boolean[] = []
  let arrived = 0
  const { port } = await start(t, (request, responder) => {
    arrived++
    if (Buffer.from((request as PlainRequest).body).toString() === 'answer')
      responder.send({ ...OK, body: 'here.' })
    return { onClosed: (isComplete) => void outcomes.push(isComplete) }
  })
  const client = await connectRaw(t, port)
  client.send(post('answer'))
  await client.untilReceived('here.')
  client.send(post('never'))
  while (arrived < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  client.socket.destroy()
  while (outcomes.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(outcomes, [true, false])
})

test('a client that is silent after its connection is refused, and an idle one is closed', async (t) => {
  const { port, clock } = await start(t, nameReader)
  const silent = await connectRaw(t, port)
  const idle = await connectRaw(t, port)
  idle.send(post('{}'))
  await idle.untilReceived('plain.')
  clock.advance(25_000)
  assert.match(await silent.untilClosed(), /^HTTP\/1.1 408 Request Timeout\r\n/)
  assert.equal(idle.isClosed, false)
  clock.advance(60_000)
  assert.match(await idle.untilClosed(), /plain\.$/)
})

test('a stop closes idle connections at once', async (t) => {
  const { server, port } = await start(t, nameReader)
  const client = await connectRaw(t, port)
  client.send(post('{}'))
  await client.untilReceived('plain.')
  const closed = once(client.socket, 'close')
  await server.stop(AbortSignal.timeout(10_000))
  await closed
})
