import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '#jsonrpc/dispatcher.ts'
import { exchange, post } from '#serve/serve.fixture.ts'
import { CALL, dispatcherOf, openAuthenticator, RESULT, startHttp } from './server.fixture.ts'

/* What Besu was recorded to answer; see corrections.md 21 to 27. */

const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
const INVALID = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}'
const NOT_FOUND_PAGE = '<html><body><h1>Resource not found</h1></body></html>'

function get(path: string, method = 'GET', headers: readonly string[] = ['Host: localhost']): string {
  return `${[`${method} ${path} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`
}

/** Status line, the headers that matter, body. */
async function seen(t: TestContext, port: number, request: string) {
  const { statusLine, headers, body } = await exchange(t, port, request)
  const { vary, allow, 'content-type': contentType, 'content-length': contentLength } = headers
  const corsOrigin = headers['access-control-allow-origin']
  const shown = { vary, allow, contentType, contentLength, corsOrigin }
  const present = Object.entries(shown).filter(([, value]) => value !== undefined)
  return [statusLine, Object.fromEntries(present), body]
}

test('a call is answered with 200, its length and its content type', async (t) => {
  const { port } = await startHttp(t)
  assert.deepEqual(await seen(t, port, post(CALL)), [
    'HTTP/1.1 200 OK',
    { vary: 'origin', contentType: 'application/json', contentLength: String(RESULT.length) },
    RESULT,
  ])
  const { headers } = await exchange(t, port, post(CALL))
  assert.equal(headers.date, undefined)
})

test('paths: query, doubled and trailing slashes do not matter, whole URLs are understood', async (t) => {
  const { port } = await startHttp(t)
  for (const path of ['/?x=1', '//', `http://localhost:${port}/`]) {
    const [status, , body] = await seen(t, port, post(CALL, undefined, path))
    assert.deepEqual([status, body], ['HTTP/1.1 200 OK', RESULT], path)
  }
  const login = ['HTTP/1.1 400 Authentication not enabled', { vary: 'origin', contentLength: '0' }, '']
  assert.deepEqual(await seen(t, port, post('{}', undefined, '/login')), login)
  assert.deepEqual(await seen(t, port, post('{}', undefined, '/login/')), login)
})

test('known paths refuse other methods, unknown paths show a page', async (t) => {
  const { port } = await startHttp(t)
  const refused = (allow: string) => [
    'HTTP/1.1 405 Method Not Allowed',
    { vary: 'origin', allow, contentLength: '0' },
    '',
  ]
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
    assert.deepEqual(await seen(t, port, get('/', method)), refused('POST,GET'), method)
  }
  assert.deepEqual(await seen(t, port, get('/login')), refused('POST'))
  assert.deepEqual(await seen(t, port, post('', undefined, '/liveness/')), refused('GET'))
  assert.deepEqual(await seen(t, port, get('/', 'HEAD')), [
    'HTTP/1.1 405 Method Not Allowed',
    { vary: 'origin' },
    '',
  ])
  assert.deepEqual(await seen(t, port, get('/')), [
    'HTTP/1.1 201 Created',
    { vary: 'origin', contentLength: '0' },
    '',
  ])
  for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', '*/*']) {
    const headers = ['Host: localhost', `Accept: ${accept}`]
    const [status, , body] = await seen(t, port, get('/', 'GET', headers))
    assert.equal(status, 'HTTP/1.1 201 Created')
    assert.match(String(body), /^This is the JSON-RPC endpoint of a Cairn node\. Send requests by POST:/)
  }
  for (const accept of ['application/json', 'text/plain;q=0', '']) {
    const [, , body] = await seen(t, port, get('/', 'GET', ['Host: localhost', `Accept: ${accept}`]))
    assert.equal(body, '', accept)
  }
  const page = { vary: 'origin', contentType: 'text/html; charset=utf-8', contentLength: '53' }
  for (const request of [get('/foo'), post(CALL, undefined, '/rpc'), get('/favicon.ico')]) {
    assert.deepEqual(await seen(t, port, request), ['HTTP/1.1 404 Not Found', page, NOT_FOUND_PAGE])
  }
})

test('the status and the content type follow from the kind of error', async (t) => {
  const answers: Record<string, Answer> = {
    'not json': { kind: 'single', error: 'PARSE_ERROR', isRefusal: true, body: PARSE_ERROR },
    '[]': { kind: 'single', error: 'INVALID_REQUEST', isRefusal: true, body: INVALID },
    '{}': { kind: 'single', error: 'INVALID_REQUEST', body: INVALID },
    addPeer: { kind: 'single', error: 'PARSE_ERROR', body: '{"id":7}' },
    refused: { kind: 'single', error: 'UNAUTHORIZED', body: '{"id":1}' },
    unknown: { kind: 'single', error: 'METHOD_NOT_FOUND', body: '{"id":2}' },
    '[1]': { kind: 'batch', body: '[]' },
    notification: { kind: 'nothing' },
  }
  const { port } = await startHttp(t, { dispatcher: dispatcherOf((message) => answers[message]!) })
  const json = 'application/json'
  const rows: readonly [string, string, string | undefined][] = [
    ['not json', '400 Bad Request', undefined],
    ['[]', '400 Bad Request', undefined],
    ['{}', '400 Bad Request', json],
    ['addPeer', '400 Bad Request', json],
    ['refused', '401 Unauthorized', json],
    ['unknown', '200 OK', json],
    ['[1]', '200 OK', json],
    ['notification', '200 OK', json],
  ]
  for (const [message, status, contentType] of rows) {
    const { statusLine, headers } = await exchange(t, port, post(message))
    assert.deepEqual([statusLine, headers['content-type']], [`HTTP/1.1 ${status}`, contentType], message)
  }
  const { headers, body } = await exchange(t, port, post('notification'))
  assert.deepEqual([headers['content-length'], body], ['0', ''])
})

test('Accept headers that exclude JSON are refused before the token is checked', async (t) => {
  const authenticator = { ...openAuthenticator, refusesUnread: () => true }
  const { port } = await startHttp(t, { authenticator })
  const refused = ['HTTP/1.1 406 Not Acceptable', { vary: 'origin', contentLength: '0' }, '']
  const html = ['Host: localhost', 'Accept: text/html']
  assert.deepEqual(await seen(t, port, post(CALL, html)), refused)
  assert.deepEqual(await seen(t, port, post('{}', html, '/login')), refused)
})

test('without a token an unread request is refused, health and greeting are not', async (t) => {
  const authenticator = { ...openAuthenticator, refusesUnread: () => true }
  const { port } = await startHttp(t, { authenticator })
  assert.deepEqual(await seen(t, port, post(CALL)), [
    'HTTP/1.1 401 Unauthorized',
    { vary: 'origin', contentLength: '76' },
    '{"jsonrpc":"2.0","id":null,"error":{"code":-40100,"message":"Unauthorized"}}',
  ])
  assert.equal((await exchange(t, port, get('/'))).statusLine, 'HTTP/1.1 201 Created')
  assert.equal((await exchange(t, port, get('/liveness'))).statusLine, 'HTTP/1.1 200 OK')
})

test('the caller is judged by the Authorization header of its request', async (t) => {
  const identify = (authorization: string | undefined) => ({ mayCall: () => authorization === 'Bearer good' })
  const dispatcher = dispatcherOf((_, { caller, transport }) => ({
    kind: 'single',
    error: null,
    body: `${transport} ${caller.mayCall('eth_chainId')}`,
  }))
  const { port } = await startHttp(t, { authenticator: { ...openAuthenticator, identify }, dispatcher })
  const good = await exchange(t, port, post(CALL, ['Host: localhost', 'Authorization: Bearer good']))
  assert.equal(good.body, 'http true')
  assert.equal((await exchange(t, port, post(CALL))).body, 'http false')
})

test('POST /login passes the body and the address on, and answers with the words it gets', async (t) => {
  const authenticator = {
    ...openAuthenticator,
    login: async (body: Uint8Array, remoteAddress: string) => ({
      status: 401,
      reason: 'Unauthorized',
      contentType: null,
      body: `${Buffer.from(body)} from ${remoteAddress}`,
    }),
  }
  const { port } = await startHttp(t, { authenticator })
  const { statusLine, body } = await exchange(t, port, post('{"username":"u"}', undefined, '/login'))
  assert.deepEqual([statusLine, body], ['HTTP/1.1 401 Unauthorized', '{"username":"u"} from 127.0.0.1'])
})

test('hosts: missing or malformed 400, foreign or empty 403, and neither depends on the origin', async (t) => {
  const { port } = await startHttp(t)
  const bad = ['HTTP/1.1 400 Bad Request', { contentLength: '11' }, 'Bad Request']
  const foreign = [
    'HTTP/1.1 403 Forbidden',
    { contentType: 'application/json; charset=utf-8', contentLength: '34' },
    '{"message":"Host not authorized."}',
  ]
  assert.deepEqual(await seen(t, port, post(CALL, [])), bad)
  assert.deepEqual(await seen(t, port, post(CALL, ['Host: localhost:abc'])), bad)
  assert.deepEqual(await seen(t, port, post(CALL, ['Host: evil.example'])), foreign)
  assert.deepEqual(await seen(t, port, post(CALL, ['Host:'])), foreign)
  assert.deepEqual(await seen(t, port, get('/foo', 'GET', ['Host: evil.example'])), foreign)
  const old = await exchange(t, port, post(CALL, []).replace('HTTP/1.1', 'HTTP/1.0'))
  assert.equal(old.statusLine, 'HTTP/1.1 403 Forbidden')
})

test('origins: refused without CORS, echoed where allowed, preflight says what may be sent', async (t) => {
  const closed = await startHttp(t)
  const origin = (name: string) => ['Host: localhost', `Origin: ${name}`]
  assert.deepEqual(await seen(t, closed.port, post(CALL, origin('http://x.example'))), [
    'HTTP/1.1 403 CORS Rejected - Invalid origin',
    { contentLength: '29' },
    'Exception thrown handling RPC',
  ])
  const { port } = await startHttp(t, { corsOrigins: ['http://good.example', 'https://.*\\.wild\\.example'] })
  for (const name of ['http://good.example', 'https://a.wild.example']) {
    const { headers } = await exchange(t, port, post(CALL, origin(name)))
    assert.deepEqual([headers['access-control-allow-origin'], headers.vary], [name, 'origin'])
  }
  for (const name of ['http://good.example:81', 'null', 'http://bad.example']) {
    const { statusLine } = await exchange(t, port, post(CALL, origin(name)))
    assert.equal(statusLine, 'HTTP/1.1 403 CORS Rejected - Invalid origin', name)
  }
  const preflight = [...origin('http://good.example'), 'Access-Control-Request-Method: POST']
  const { statusLine, headers, body } = await exchange(t, port, get('/login', 'OPTIONS', preflight))
  assert.deepEqual([statusLine, body], ['HTTP/1.1 204 No Content', ''])
  assert.deepEqual(headers, {
    'access-control-allow-origin': 'http://good.example',
    'access-control-allow-headers': '*,content-type',
    connection: 'close',
  })
  const notPreflight = await exchange(t, port, get('/', 'OPTIONS', origin('http://good.example')))
  assert.equal(notPreflight.statusLine, 'HTTP/1.1 405 Method Not Allowed')
})

test('input that is not HTTP gets a status and is closed', async (t) => {
  const { port } = await startHttp(t)
  const long = 'a'.repeat(20_000)
  const rows = [
    ['hello\r\n\r\n', '400 Bad Request'],
    ['POST / HTTP/9.9\r\nHost: localhost\r\n\r\n', '501 Not Implemented'],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${long}\r\n\r\n`, '431 Request Header Fields Too Large'],
    [`GET /${long} HTTP/1.1\r\nHost: localhost\r\n\r\n`, '414 Request-URI Too Long'],
  ] as const
  for (const [request, status] of rows) {
    const { statusLine, headers } = await exchange(t, port, request.replace('\r\n', '\r\n'))
    assert.deepEqual([statusLine, headers['content-length']], [`HTTP/1.1 ${status}`, '0'])
  }
})

test('health: liveness is up, readiness says what is missing', async (t) => {
  const { port } = await startHttp(t)
  const up = await exchange(t, port, get('/liveness?x=1'))
  assert.deepEqual([up.statusLine, up.body], ['HTTP/1.1 200 OK', '{\n  "status" : "UP"\n}'])
  assert.equal(up.headers['content-type'], undefined)
  const down = await exchange(t, port, get('/readiness'))
  assert.deepEqual(
    [down.statusLine, down.headers['content-length']],
    ['HTTP/1.1 503 Service Unavailable', '141'],
  )
  const enough = await exchange(t, port, get('/readiness?minPeers=0'))
  assert.equal(enough.statusLine, 'HTTP/1.1 200 OK')
})
