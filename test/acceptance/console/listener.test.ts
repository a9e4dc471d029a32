import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { WebSocket } from 'ws'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { startHostileNode } from './hostile-node.ts'

interface Reply {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

interface Question {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Unlike `fetch`, it sends any Host and Origin. */
async function ask(port: number, path: string, { method, headers, body }: Question = {}): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const request = requestHttp({
    port,
    path,
    host: '127.0.0.1',
    method: method ?? (text === undefined ? 'GET' : 'POST'),
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
  })
  request.end(text)
  const [response] = await once(request, 'response')
  let answer = ''
  for await (const piece of response) answer += piece
  return { status: response.statusCode, headers: response.headers, text: answer }
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

suite('the console of a node without authentication', async () => {
  const other: RunningNode = await startNode(['--network=dev', '--rpc-http-api=ETH,WEB3,ADMIN'])
  test.after(() => other.kill())
  const node: RunningNode = await startNode([
    '--network=dev',
    `--console-nodes=other=http://127.0.0.1:${other.http}`,
  ])
  test.after(() => node.kill())
  const { console: port } = node
  const own = `http://127.0.0.1:${port}`

  test('pages come with a policy that allows no other origin, no frame and no inline code', async () => {
    for (const path of ['/', '/index.html', '/page.js', '/page.css', '/icon.svg']) {
      const { status, headers } = await ask(port, path)
      assert.equal(status, 200, path)
      const policy = String(headers['content-security-policy'])
      assert.doesNotMatch(policy, /unsafe|\*|http/)
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    }
  })

  test('pages name no other server', async () => {
    const { text } = await ask(port, '/')
    assert.deepEqual(
      [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target),
      ['/icon.svg', '/page.css', '/page.js'],
    )
  })

  test('paths outside the pages are not found', async () => {
    for (const path of ['/../package.json', '/%2e%2e/package.json', '/pages', '/nodes/0/rpc', '/rpc']) {
      assert.equal((await ask(port, path)).status, 404, path)
    }
    assert.equal((await ask(port, '/', { body: call('eth_blockNumber') })).status, 404)
  })

  test('JSON-RPC answers requests of the page and of programs', async () => {
    for (const headers of [{}, { origin: own }]) {
      const { status, text } = await ask(port, '/rpc', { body: call('web3_clientVersion'), headers })
      assert.equal(status, 200)
      assert.match(text, /cairn\/v/)
    }
  })

  test('requests from other origins are refused', async () => {
    for (const origin of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `${own}.evil.example`,
    ]) {
      const headers = { origin, host: `127.0.0.1:${port}` }
      for (const path of ['/rpc', '/login', '/nodes/0/rpc', '/setup']) {
        const method = path === '/setup' ? 'GET' : 'POST'
        const { status } = await ask(port, path, { method, headers, ...(method === 'POST' && { body: {} }) })
        assert.equal(status, 403, `${origin} ${path}`)
      }
      const preflight = { ...headers, 'access-control-request-method': 'POST' }
      const { status, headers: answer } = await ask(port, '/rpc', { method: 'OPTIONS', headers: preflight })
      assert.equal(status, 403)
      assert.equal(answer['access-control-allow-origin'], undefined)
    }
  })

  test('a foreign name that resolves to the machine is refused', async () => {
    const headers = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }
    assert.equal((await ask(port, '/', { headers })).status, 403)
    assert.equal((await ask(port, '/rpc', { headers, body: call('eth_blockNumber') })).status, 403)
  })

  test('WebSocket handshakes from other origins and on other paths are refused', async () => {
    for (const [path, origin] of [
      ['/rpc', 'http://evil.example'],
      ['/', own],
    ]) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { origin: origin! } })
      const [error] = await once(socket, 'error')
      assert.match(error.message, /403/)
    }
  })

  test('methods that change the node are refused, and reading methods of every API answer', async () => {
    const change = await ask(port, '/rpc', { body: call('admin_changeLogLevel', 'DEBUG') })
    assert.match(change.text, /callers on this port are not authenticated/)
    const { text } = await ask(port, '/rpc', { body: call('rpc.discover') })
    const names: string[] = JSON.parse(text).result.methods.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('admin_peers') && names.includes('txpool_explain'))
    assert.ok(!names.includes('admin_changeLogLevel') && !names.includes('debug_setHead'))
  })

  test('only reads are forwarded to other nodes', async () => {
    const read = call('eth_blockNumber')
    const change = call('admin_changeLogLevel', 'DEBUG')
    const headers = { authorization: 'Bearer a.b.c' }
    assert.match((await ask(port, '/nodes/0/rpc', { body: read })).text, /"result":"0x0"/)
    assert.match((await ask(port, '/nodes/0/rpc', { body: [read, read] })).text, /^\[.*"result":"0x0"/)
    for (const body of [
      change,
      [read, change],
      [[change]],
      { ...read, method: ['eth_blockNumber'] },
      null,
      'x',
    ]) {
      assert.equal((await ask(port, '/nodes/0/rpc', { body })).status, 403, JSON.stringify(body))
      assert.equal((await ask(port, '/nodes/0/rpc', { body, headers })).status, 403, JSON.stringify(body))
    }
  })

  test('the WebSocket sends new heads', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, ['cairn-console'], {
      headers: { origin: own },
    })
    await once(socket, 'open')
    assert.equal(socket.protocol, 'cairn-console')
    socket.send(JSON.stringify(call('eth_subscribe', 'newHeads')))
    await once(socket, 'message')
    socket.send(JSON.stringify(call('evm_mine')))
    const texts: string[] = []
    for await (const [message] of socketMessages(socket)) {
      texts.push(String(message))
      if (texts.some((text) => text.includes('"eth_subscription"'))) break
    }
    socket.close()
  })
})

function socketMessages(socket: WebSocket): AsyncIterable<unknown[]> {
  return (async function* () {
    for (;;) yield await once(socket, 'message')
  })()
}

suite('the console of a node with users', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-console-'))
  const file = join(folder, 'users.toml')
  const user = (name: string, permissions: string) =>
    `[Users.${name}]\npassword = "${hashPassword('secret')}"\npermissions = ${permissions}\n`
  writeFileSync(file, `${user('operator', '["*:*"]')}${user('reader', '["eth:*"]')}`)
  const authentication = [
    '--rpc-http-authentication-enabled',
    `--rpc-http-authentication-credentials-file=${file}`,
  ]
  const other: RunningNode = await startNode([
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,WEB3',
    ...authentication,
  ])
  const hostile = await startHostileNode()
  const nodes = [`other=http://127.0.0.1:${other.http}`, 'gone=http://127.0.0.1:1', `open=${hostile.url}`]
  const node: RunningNode = await startNode([
    '--console-enabled',
    `--console-nodes=${nodes.join(',')}`,
    ...authentication,
  ])
  test.after(async () => {
    hostile.close()
    await Promise.all([node.kill(), other.kill()])
    rmSync(folder, { recursive: true })
  })
  const { console: port } = node
  const logIn = async (path: string, username: string): Promise<string> => {
    const { status, text } = await ask(port, path, { body: { username, password: 'secret' } })
    assert.equal(status, 200, text)
    return JSON.parse(text).token
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  test('the console works without a JSON-RPC port', () => {
    assert.equal(node.http, 0)
    assert.ok(port > 0)
  })

  test('its setup names the nodes and the kind of login', async () => {
    const { text } = await ask(port, '/setup')
    const setup = JSON.parse(text)
    assert.equal(setup.authentication, 'credentials')
    assert.deepEqual(
      setup.nodes.map(({ name }: { name: string }) => name),
      ['other', 'gone', 'open'],
    )
  })

  test('calls without a token, with a wrong token and without a grant are refused', async () => {
    const body = call('admin_peers')
    assert.equal((await ask(port, '/rpc', { body })).status, 401)
    assert.equal((await ask(port, '/rpc', { body, headers: bearer('a.b.c') })).status, 401)
    const token = await logIn('/login', 'reader')
    assert.equal((await ask(port, '/rpc', { body, headers: bearer(token) })).status, 401)
    const allowed = await ask(port, '/rpc', { body: call('eth_blockNumber'), headers: bearer(token) })
    assert.equal(allowed.status, 200)
  })

  test('a user with the grant may change the node', async () => {
    const headers = bearer(await logIn('/login', 'operator'))
    const { text } = await ask(port, '/rpc', { body: call('admin_changeLogLevel', 'INFO'), headers })
    assert.equal(JSON.parse(text).result, 'Success')
  })

  test('a handshake carries the token as a subprotocol', async () => {
    const token = await logIn('/login', 'reader')
    for (const [protocols, expected] of [
      [['cairn-console', `token.${token}`], /"result":"0x/],
      [['cairn-console'], /Unauthorized/],
    ] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, [...protocols])
      await once(socket, 'open')
      assert.equal(socket.protocol, 'cairn-console')
      socket.send(JSON.stringify(call('eth_blockNumber')))
      const [message] = await once(socket, 'message')
      assert.match(String(message), expected)
      socket.terminate()
    }
  })

  test('requests to a listed node carry the token of that node', async () => {
    const token = await logIn('/nodes/0/login', 'operator')
    const body = call('web3_clientVersion')
    const { status, text } = await ask(port, '/nodes/0/rpc', { body, headers: bearer(token) })
    assert.equal(status, 200)
    assert.match(text, /cairn\/v/)
    assert.equal((await ask(port, '/nodes/0/rpc', { body })).status, 401)
    const own = await logIn('/login', 'operator')
    assert.equal((await ask(port, '/nodes/0/rpc', { body, headers: bearer(own) })).status, 401)
  })

  test('an unreachable node is reported as such, and others cannot be reached', async () => {
    const { status, text } = await ask(port, '/nodes/1/rpc', { body: call('eth_blockNumber') })
    assert.equal(status, 502)
    assert.match(JSON.parse(text).unreachable, /ECONNREFUSED/)
    for (const path of ['/nodes/3/rpc', '/nodes/0/metrics', '/nodes/0/rpc/..', '/nodes/-1/rpc']) {
      assert.equal((await ask(port, path, { body: {} })).status, 404, path)
    }
  })

  test('a node without authentication is read and not changed', async () => {
    const headers = bearer(await logIn('/login', 'operator'))
    hostile.answer = '"done"'
    const read = await ask(port, '/nodes/2/rpc', { body: call('eth_blockNumber'), headers })
    assert.match(read.text, /"result":"done"/)
    const change = await ask(port, '/nodes/2/rpc', { body: call('admin_changeLogLevel', 'DEBUG'), headers })
    assert.equal(change.status, 403)
    assert.match(change.text, /does not authenticate its callers/)
    assert.ok(!hostile.methods.includes('admin_changeLogLevel'))
    const token = bearer(await logIn('/nodes/0/login', 'operator'))
    const served = await ask(port, '/nodes/0/rpc', {
      body: call('admin_changeLogLevel', 'INFO'),
      headers: token,
    })
    assert.match(served.text, /Method not enabled/, 'a node with users decides itself')
  })

  test('redirects, huge and missing answers of a listed node end in a reason', async () => {
    for (const [answer, expected] of [
      ['redirect', /^$|302|unreachable/],
      ['huge', /unreachable/],
      ['silent', /no answer within 5 s/],
    ] as const) {
      hostile.answer = answer
      const beganMs = performance.now()
      const { status, text } = await ask(port, '/nodes/2/rpc', { body: call('eth_blockNumber') })
      const expectedStatus = { redirect: 302, huge: 502, silent: 504 }[answer]
      assert.equal(status, expectedStatus, answer)
      assert.match(text, expected)
      assert.ok(performance.now() - beganMs < 10_000)
    }
  })

  test('a forwarded body over the limit is refused', async () => {
    const body = call('eth_call', 'x'.repeat(600 * 1024))
    assert.equal((await ask(port, '/nodes/0/rpc', { body })).status, 413)
  })
})
