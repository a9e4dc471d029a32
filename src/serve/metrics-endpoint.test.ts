import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { type MetricsEndpointOptions, startMetricsEndpoint } from './metrics-endpoint.ts'
import { exchange, keptLog, post } from './serve.fixture.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const TEXT = '# HELP a A.\n# TYPE a gauge\na 1\n# HELP b B.\n# TYPE b gauge\nb 2\n'

async function start(t: TestContext, options: Partial<MetricsEndpointOptions> = {}): Promise<number> {
  const server = await startMetricsEndpoint({
    host: '127.0.0.1',
    port: 0,
    hostAllowlist: ['localhost'],
    exposition: async () => ({ contentType: TYPE, body: TEXT }),
    clock: systemClock,
    log: keptLog().log,
    ...options,
  })
  t.after(() => server.stop(AbortSignal.abort()))
  return server.port
}

const get = (path: string, ...headers: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`

test('GET and POST of /metrics return the text, other paths 404, and / a page', async (t) => {
  const port = await start(t)
  for (const request of [get('/metrics'), get('/metrics/'), post('', ['Host: localhost'], '/metrics')]) {
    const { statusLine, headers, body } = await exchange(t, port, request)
    assert.deepEqual([statusLine, headers['content-type'], body], ['HTTP/1.1 200 OK', TYPE, TEXT])
  }
  const home = await exchange(t, port, get('/'))
  assert.equal(home.statusLine, 'HTTP/1.1 200 OK')
  assert.match(home.body, /^<html>/)
  const other = await exchange(t, port, get('/nothing'))
  assert.deepEqual([other.statusLine, other.headers['content-length']], ['HTTP/1.1 404 Not Found', '0'])
})

test('name[] selects metrics', async (t) => {
  const port = await start(t)
  const one = await exchange(t, port, get('/metrics?name[]=b'))
  assert.equal(one.body, '# HELP b B.\n# TYPE b gauge\nb 2\n')
  const both = await exchange(t, port, get('/metrics?name%5B%5D=a&name[]=b'))
  assert.equal(both.body, TEXT)
})

test('foreign hosts are refused without a body', async (t) => {
  const port = await start(t)
  const { statusLine, headers, body } = await exchange(
    t,
    port,
    get('/metrics').replace('localhost', '127.0.0.1'),
  )
  assert.deepEqual([statusLine, headers['content-length'], body], ['HTTP/1.1 403 Forbidden', '0', ''])
})

test('a failed collection answers 500 and logs a line', async (t) => {
  const { log, lines } = keptLog()
  const port = await start(t, { log, exposition: () => Promise.reject(new Error('a thread died')) })
  assert.equal((await exchange(t, port, get('/metrics'))).statusLine, 'HTTP/1.1 500 Internal Server Error')
  assert.match(lines.join(''), /a thread died/)
})
