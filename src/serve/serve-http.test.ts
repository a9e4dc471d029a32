import assert from 'node:assert/strict'
import { request as secureRequest } from 'node:https'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { connectRaw, exchange, keptLog } from './serve.fixture.ts'
import { type HttpSettings, serveHttp } from './serve-http.ts'
import { hasOpenSsl, makeCertificate } from './tls/tls.fixture.ts'

/** A page that knows nothing of JSON-RPC, like the server below it. */
async function startPage(
  t: TestContext,
  options: Partial<HttpSettings> & { readonly held?: Promise<void> } = {},
) {
  const { held, ...settings } = options
  const left: boolean[] = []
  const arrived = Promise.withResolvers<void>()
  const address = { host: '127.0.0.1', port: 0, hostOption: '--page-host', portOption: '--page-port' }
  const server = await serveHttp(
    {
      slots: createConnectionSlots(2),
      limits: { timeoutMs: 1_000 },
      clock: systemClock,
      log: keptLog().log,
      hostAllowlist: ['localhost', '127.0.0.1'],
      ...settings,
    },
    address,
    (request, responder) => {
      arrived.resolve()
      const body = `a page for ${request.url}`
      const send = (): void => responder.send({ status: 200, reason: 'OK', contentType: 'text/plain', body })
      if (held === undefined) send()
      else void held.then(send)
      return { onClosed: (isComplete) => void left.push(isComplete) }
    },
  )
  t.after(() => server.stop(AbortSignal.abort()))
  return { server, left, arrived: arrived.promise }
}

const GET = 'GET /here HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('any handler can answer over HTTP', async (t) => {
  const { server, left } = await startPage(t)
  const { statusLine, headers, body } = await exchange(t, server.port, GET)
  assert.deepEqual(
    [statusLine, headers['content-type'], body],
    ['HTTP/1.1 200 OK', 'text/plain', 'a page for /here'],
  )
  assert.deepEqual(left, [true])
})

test('a foreign host is refused before the handler is called', async (t) => {
  const { server, left } = await startPage(t)
  const { statusLine } = await exchange(t, server.port, GET.replace('localhost', 'evil.example'))
  assert.deepEqual([statusLine, left], ['HTTP/1.1 403 Forbidden', []])
})

test('connections over the limit are closed', async (t) => {
  const { server } = await startPage(t)
  const served = [await connectRaw(t, server.port), await connectRaw(t, server.port)]
  for (const client of served) {
    client.send(GET)
    await client.untilReceived('a page')
  }
  const refused = await connectRaw(t, server.port)
  refused.send(GET)
  assert.equal(await refused.untilClosed(), '')
})

test('a stop waits for pending requests and closes their connections', async (t) => {
  const held = Promise.withResolvers<void>()
  const { server, arrived } = await startPage(t, { held: held.promise })
  const client = await connectRaw(t, server.port)
  client.send(GET)
  await arrived
  const stopped = server.stop(AbortSignal.timeout(5_000))
  held.resolve()
  assert.match(await client.untilClosed(), /a page for \/here$/)
  await stopped
})

test('a stop does not wait for a body that never arrives', { timeout: 20_000 }, async (t) => {
  const { server, arrived } = await startPage(t, { held: new Promise(() => {}) })
  const client = await connectRaw(t, server.port)
  client.send('POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nhalf')
  await arrived
  const never = new AbortController()
  await server.stop(never.signal)
  assert.equal(await client.untilClosed(), '')
})

test('TLS is a setting', { skip: !hasOpenSsl && 'there is no openssl' }, async (t) => {
  const { certificate, certificateFile, keyFile } = makeCertificate('localhost')
  const { server } = await startPage(t, {
    tls: {
      optionPrefix: '--page-tls',
      identity: { kind: 'pem', keyFile, certificateFile },
      clients: null,
      protocols: ['TLSv1.3'],
      cipherSuites: [],
    },
  })
  const text = await new Promise<string>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      path: '/safe',
      ca: certificate,
      servername: 'localhost',
    }
    secureRequest(options, (response) => {
      response.setEncoding('utf8').on('data', resolve)
    })
      .on('error', reject)
      .end()
  })
  assert.equal(text, 'a page for /safe')
})
