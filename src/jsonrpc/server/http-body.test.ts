import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { connectRaw, exchange, parseExchange, post } from '#serve/serve.fixture.ts'
import { CALL, dispatcherOf, HTTP_LIMITS, RESULT, RESULT_ANSWER, startHttp } from './server.fixture.ts'

const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
const small = { ...HTTP_LIMITS, bodyMaxBytes: 100_000 }

/** Answers with the length of what it received and its first bytes. */
const measuring = dispatcherOf((message) => ({
  kind: 'single',
  error: null,
  body: `${message.length} ${message.slice(0, 4)}`,
}))

test('a body over the limit is refused before it arrives, and the connection stays open', async (t) => {
  const { port } = await startHttp(t, { limits: small })
  const client = await connectRaw(t, port)
  client.send('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n')
  const refused = parseExchange(await client.untilReceived('Large\r\n'))
  assert.equal(refused.statusLine, 'HTTP/1.1 413 Request Entity Too Large')
  await client.untilReceived('\r\n\r\nRequest Entity Too Large')
  client.send(`${'x'.repeat(200_000)}${post(CALL)}`)
  assert.match(await client.untilReceived(RESULT), /413 Request Entity Too Large.*200 OK/s)
  assert.equal(client.isClosed, false)
})

test('a chunked body over the limit is refused while it arrives, and the connection stays open', async (t) => {
  const { port } = await startHttp(t, { limits: small })
  const client = await connectRaw(t, port)
  client.send('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
  client.send(`1d4c0\r\n${'x'.repeat(120_000)}\r\n`)
  await client.untilReceived('\r\n\r\nRequest Entity Too Large')
  client.send(`0\r\n\r\n${post(CALL)}`)
  await client.untilReceived(RESULT)
  assert.equal(client.isClosed, false)
})

test('Expect: 100-continue gets one interim answer, also before a refusal', async (t) => {
  const { port } = await startHttp(t, { limits: small })
  const expect = ['Host: localhost', 'Expect: 100-continue']
  const client = await connectRaw(t, port)
  const [head = '', body = ''] = post(CALL, expect).split('\r\n\r\n')
  client.send(`${head}\r\n\r\n`)
  await client.untilReceived('100 Continue\r\n\r\n')
  client.send(body)
  const text = await client.untilReceived(RESULT)
  assert.equal(text.match(/100 Continue/g)?.length, 1)
  const large = await connectRaw(t, port)
  large.send('POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n')
  assert.match(await large.untilReceived('Large\r\n'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 413 /)
})

test('bodies arrive whole in whatever pieces, pipelined answers keep their order', async (t) => {
  const { port } = await startHttp(t, { dispatcher: measuring })
  const client = await connectRaw(t, port)
  const body = `[1,${' '.repeat(400_000)}2]`
  const bytes = post(body)
  for (let at = 0; at < bytes.length; at += 50_000) client.send(bytes.slice(at, at + 50_000))
  await client.untilReceived(`${body.length} [1,`)
  client.send(post('[1]') + post('[22]') + post('[333]'))
  assert.match(await client.untilReceived('5 [333'), /3 \[1\].*4 \[22\].*5 \[333/s)
})

test('packed bodies are unpacked within the limit for unpacked ones', async (t) => {
  const { port } = await startHttp(t, { dispatcher: measuring, limits: small })
  const send = async (coding: string, bytes: Buffer): Promise<string> => {
    const client = await connectRaw(t, port)
    const head = ['POST / HTTP/1.1', 'Host: localhost', 'Connection: close', `Content-Encoding: ${coding}`]
    client.send(`${[...head, `Content-Length: ${bytes.length}`].join('\r\n')}\r\n\r\n`)
    client.send(bytes)
    const { statusLine, body } = parseExchange(await client.untilClosed())
    return `${statusLine} ${body}`
  }
  const text = `[${'1,'.repeat(40_000)}1]`
  assert.equal(await send('gzip', gzipSync(text)), `HTTP/1.1 200 OK ${text.length} [1,1`)
  assert.equal(await send('deflate', deflateSync(text)), `HTTP/1.1 200 OK ${text.length} [1,1`)
  const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
  assert.ok(bomb.length < small.bodyMaxBytes)
  assert.match(await send('gzip', bomb), /^HTTP\/1\.1 413 /)
  assert.match(await send('gzip', gzipSync('['.repeat(65))), /^HTTP\/1\.1 400 Bad Request .*-32700/)
  assert.match(await send('gzip', Buffer.from('not gzip')), /^HTTP\/1\.1 400 Bad Request .*-32700/)
  assert.match(await send('br', Buffer.from('as it comes')), /^HTTP\/1\.1 200 OK 11 as i/)
})

test('nesting and number of values are refused while they arrive, and the connection stays open', async (t) => {
  let calls = 0
  const dispatcher = dispatcherOf(() => {
    calls += 1
    return RESULT_ANSWER
  })
  const { port } = await startHttp(t, { dispatcher, limits: { ...HTTP_LIMITS, bodyMaxBytes: 10_000_000 } })
  const client = await connectRaw(t, port)
  client.send('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n')
  client.send('['.repeat(70))
  assert.equal(parseExchange(await client.untilReceived('}}')).body, PARSE_ERROR)
  client.send(`${'['.repeat(5_000_000 - 70)}${post(CALL)}`)
  await client.untilReceived(RESULT)
  assert.equal(calls, 1)
})

test('answers are compressed as the client asks, the shortest too', async (t) => {
  const { port } = await startHttp(t)
  const ask = (accept: string) =>
    exchange(t, port, post(CALL, ['Host: localhost', `Accept-Encoding: ${accept}`]))
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  for (const accept of ['gzip', '*', 'gzip, deflate, br', 'deflate;q=0.5, gzip']) {
    const { headers, body } = await ask(accept)
    assert.equal(headers['content-encoding'], 'gzip', accept)
    assert.equal(gunzipSync(bytes(body)).toString(), RESULT)
  }
  const deflated = await ask('deflate')
  assert.equal(deflated.headers['content-encoding'], 'deflate')
  assert.equal(inflateSync(bytes(deflated.body)).toString(), RESULT)
  for (const accept of ['br', 'zstd', 'identity', 'gzip;q=0']) {
    const { headers, body } = await ask(accept)
    assert.deepEqual([headers['content-encoding'], body], [undefined, RESULT], accept)
  }
})

test('long answers come in pieces, compressed or not, and no character is broken', async (t) => {
  const long = `x${'😀é'.repeat(100_000)}`
  async function* chunks() {
    for (let at = 0; at < long.length; at += 999) yield long.slice(at, at + 999)
  }
  const dispatcher = dispatcherOf((message) => ({
    kind: 'batch',
    body: message === 'whole' ? long : chunks(),
  }))
  const { port } = await startHttp(t, { dispatcher })
  const fetched = async (message: string, coding: string) => {
    const headers = { 'accept-encoding': coding }
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: message, headers })
    return [
      response.headers.get('content-encoding'),
      response.headers.get('content-length'),
      await response.text(),
    ]
  }
  assert.deepEqual(await fetched('whole', 'identity'), [null, String(Buffer.byteLength(long)), long])
  assert.deepEqual(await fetched('whole', 'gzip'), ['gzip', null, long])
  assert.deepEqual(await fetched('chunks', 'identity'), [null, null, long])
  assert.deepEqual(await fetched('chunks', 'deflate'), ['deflate', null, long])
})

test('clients that leave while their bodies are unpacked take no memory with them', async (t) => {
  const { port } = await startHttp(t, {
    dispatcher: measuring,
    limits: { ...HTTP_LIMITS, bodyMaxBytes: 20_000_000 },
  })
  const body = gzipSync(Buffer.alloc(19_000_000, ' '))
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`
  const request = Buffer.concat([Buffer.from(head), body])
  for (let count = 0; count < 4; count++) {
    const client = await connectRaw(t, port)
    client.socket.end(request)
    await client.untilClosed()
  }
  // Until the last of them was noticed there may be no room.
  for (let answer = ''; !answer.includes('200 OK'); ) {
    const client = await connectRaw(t, port)
    client.send(request)
    await client.until(() => client.received.includes('\r\n\r\n'))
    answer = client.received
  }
})
