/**
 * Client libraries in their published versions against the real program: calls, batches, errors in each library's
 * form, and access tokens, over HTTP and WebSocket. These nodes have no chain, so the tests configure the network id;
 * read-chain.test.ts uses a chain.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { FetchRequest, JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createClient, http, webSocket } from 'viem'
import { HttpProvider, Web3, WebSocketProvider as Web3WebSocketProvider } from 'web3'
import { WebSocket } from 'ws'
import type { RunningNode } from '../../support/running-node.ts'
import { bearer, httpUrl, startNodePair, USER, websocketUrl } from './guarded-nodes.ts'

const NETWORK_ID = 4711
const VERSION = /^cairn\/v\d/
/** A known method of an API that is not enabled. */
const DISABLED = 'debug_getBadBlocks'
const UNKNOWN = 'eth_doesNotExist'

interface RpcFailure {
  readonly code: number
  readonly message: string
}
const NOT_ENABLED: RpcFailure = { code: -32604, message: 'Method not enabled' }
const NOT_FOUND: RpcFailure = { code: -32601, message: 'Method not found' }

let open: RunningNode
let guarded: RunningNode
let stop: () => Promise<void>

before(async () => {
  ;({ open, guarded, stop } = await startNodePair([`--network-id=${NETWORK_ID}`], ['web3:*', 'net:version']))
})

after(() => stop?.())

type Send = (method: string, params?: readonly unknown[]) => Promise<unknown>

async function assertCalls(send: Send): Promise<void> {
  assert.match(String(await send('web3_clientVersion')), VERSION)
  assert.equal(await send('net_version'), String(NETWORK_ID))
  assert.deepEqual(await send('rpc_modules'), { eth: '1.0', net: '1.0', web3: '1.0' })
  const hash = '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad'
  assert.equal(await send('web3_sha3', ['0x68656c6c6f20776f726c64']), hash)
}

/** `errorOf` extracts the JSON-RPC error from the library's exception. */
async function assertErrors(send: Send, errorOf: (thrown: unknown) => RpcFailure | undefined): Promise<void> {
  for (const [method, expected] of [
    [DISABLED, NOT_ENABLED],
    [UNKNOWN, NOT_FOUND],
  ] as const) {
    await assert.rejects(send(method), (thrown) => {
      const { code, message } = errorOf(thrown) ?? {}
      assert.deepEqual({ code, message }, expected, String(thrown))
      return true
    })
  }
}

const ETHERS_OPTIONS = { staticNetwork: true }
const ethersError = (thrown: unknown) => (thrown as { error?: RpcFailure }).error

test('ethers 6 over HTTP: calls, a batch, errors, a token', async (t) => {
  const provider = new JsonRpcProvider(httpUrl(open), NETWORK_ID, ETHERS_OPTIONS)
  t.after(() => provider.destroy())
  const send: Send = (method, params = []) => provider.send(method, [...params])
  await assertCalls(send)
  // The library batches calls that are made at the same time.
  const [version, network] = await Promise.all([send('web3_clientVersion'), send('net_version')])
  assert.match(String(version), VERSION)
  assert.equal(network, String(NETWORK_ID))
  await assertErrors(send, ethersError)

  const request = new FetchRequest(httpUrl(guarded))
  request.setHeader('authorization', await bearer(guarded.http))
  const authorised = new JsonRpcProvider(request, NETWORK_ID, ETHERS_OPTIONS)
  t.after(() => authorised.destroy())
  assert.match(await authorised.send('web3_clientVersion', []), VERSION)
})

test('ethers 6 over WebSocket: calls, errors, a token', async (t) => {
  const provider = new WebSocketProvider(websocketUrl(open), NETWORK_ID, ETHERS_OPTIONS)
  t.after(() => provider.destroy())
  const send: Send = (method, params = []) => provider.send(method, [...params])
  await assertCalls(send)
  await assertErrors(send, ethersError)

  const headers = { authorization: await bearer(guarded.websocket) }
  const connect = () => new WebSocket(websocketUrl(guarded), { headers }) as never
  const authorised = new WebSocketProvider(connect, NETWORK_ID, ETHERS_OPTIONS)
  t.after(() => authorised.destroy())
  assert.match(await authorised.send('web3_clientVersion', []), VERSION)
})

/** viem nests errors; the innermost is the JSON-RPC error. */
function viemError(thrown: unknown): RpcFailure | undefined {
  for (let error = thrown as { cause?: unknown; code?: number; details?: string }; error; ) {
    if (error.code !== undefined && error.details !== undefined) {
      return { code: error.code, message: error.details }
    }
    error = error.cause as typeof error
  }
  return undefined
}

const viemSend =
  (client: { request(request: never): Promise<unknown> }): Send =>
  (method, params = []) =>
    client.request({ method, params } as never)

test('viem over HTTP: calls, a batch, errors, a token', async () => {
  const send = viemSend(createClient({ transport: http(httpUrl(open), { retryCount: 0 }) }))
  await assertCalls(send)
  await assertErrors(send, viemError)
  const inBatches = viemSend(createClient({ transport: http(httpUrl(open), { batch: true }) }))
  const [version, network] = await Promise.all([inBatches('web3_clientVersion'), inBatches('net_version')])
  assert.match(String(version), VERSION)
  assert.equal(network, String(NETWORK_ID))

  const fetchOptions = { headers: { authorization: await bearer(guarded.http) } }
  const authorised = viemSend(createClient({ transport: http(httpUrl(guarded), { fetchOptions }) }))
  assert.match(String(await authorised('web3_clientVersion')), VERSION)
  const stranger = viemSend(createClient({ transport: http(httpUrl(guarded), { retryCount: 0 }) }))
  await assert.rejects(stranger('net_version'), { code: -40100 })
})

test('viem over WebSocket: calls, errors', async (t) => {
  // This transport cannot send headers in the handshake, so there is no token.
  const client = createClient({
    transport: webSocket(websocketUrl(open), { retryCount: 0, reconnect: false }),
  })
  const { getRpcClient } = client.transport as { getRpcClient(): Promise<{ close(): void }> }
  t.after(async () => (await getRpcClient()).close())
  const send = viemSend(client)
  await assertCalls(send)
  await assertErrors(send, viemError)
})

/** web3.js rejects with the complete response, or with an error that has the JSON-RPC error as its cause. */
function web3Error(thrown: unknown): RpcFailure | undefined {
  const { error, cause, innerError } = thrown as Record<string, RpcFailure | undefined>
  return error ?? innerError ?? cause
}

const web3Send =
  (web3: Web3): Send =>
  (method, params = []) =>
    web3.requestManager.send({ method, params } as never)

test('web3.js 4 over HTTP: calls, a batch, errors, a token', async () => {
  const web3 = new Web3(httpUrl(open))
  await assertCalls(web3Send(web3))
  assert.match(await web3.eth.getNodeInfo(), VERSION)
  const batch = new web3.BatchRequest()
  const version = batch.add<string>({ method: 'web3_clientVersion', params: [] } as never)
  const network = batch.add<string>({ method: 'net_version', params: [] } as never)
  await batch.execute()
  assert.match(await version, VERSION)
  assert.equal(await network, String(NETWORK_ID))
  await assertErrors(web3Send(web3), web3Error)

  const headers = { authorization: await bearer(guarded.http) }
  const authorised = new Web3(new HttpProvider(httpUrl(guarded), { providerOptions: { headers } }))
  assert.match(await authorised.eth.getNodeInfo(), VERSION)
})

test('web3.js 4 over WebSocket: calls, errors, a token', async (t) => {
  const provider = new Web3WebSocketProvider(websocketUrl(open))
  t.after(() => provider.disconnect())
  const web3 = new Web3(provider)
  await assertCalls(web3Send(web3))
  await assertErrors(web3Send(web3), web3Error)

  const headers = { authorization: await bearer(guarded.websocket) }
  const authorised = new Web3WebSocketProvider(websocketUrl(guarded), { headers })
  t.after(() => authorised.disconnect())
  assert.match(await new Web3(authorised).eth.getNodeInfo(), VERSION)
})

function curl(...args: string[]): { status: number; body: string } {
  const output = execFileSync('curl', ['--silent', '--write-out', '\n%{http_code}', ...args], {
    encoding: 'utf8',
  })
  const end = output.lastIndexOf('\n')
  return { status: Number(output.slice(end + 1)), body: output.slice(0, end) }
}

test('curl: a call, a batch, errors, a login and the calls that its token permits', () => {
  const json = ['--header', 'Content-Type: application/json']
  const call = (node: RunningNode, body: string, ...more: string[]) =>
    curl(...json, ...more, '--data', body, httpUrl(node))
  const version = '{"jsonrpc":"2.0","method":"web3_clientVersion","params":[],"id":53}'
  const network = '{"jsonrpc":"2.0","method":"net_version","params":[],"id":"a"}'
  const listening = '{"jsonrpc":"2.0","method":"net_listening","params":[],"id":1}'
  const networkAnswer = `{"jsonrpc":"2.0","id":"a","result":"${NETWORK_ID}"}`

  assert.match(call(open, version).body, /^{"jsonrpc":"2.0","id":53,"result":"cairn\/v/)
  assert.match(call(open, `[${version},${network}]`).body, /^\[{"jsonrpc".*},{"jsonrpc":"2.0","id":"a".*}\]$/)
  assert.match(call(open, `{"jsonrpc":"2.0","method":"${DISABLED}","id":1}`).body, /"code":-32604/)
  assert.match(call(open, `{"jsonrpc":"2.0","method":"${UNKNOWN}","id":1}`).body, /"code":-32601/)
  assert.deepEqual(curl(`${httpUrl(open)}/liveness`), { status: 200, body: '{\n  "status" : "UP"\n}' })

  assert.equal(call(guarded, network).status, 401)
  const login = curl(...json, '--data', JSON.stringify(USER), `${httpUrl(guarded)}/login`)
  const authorization = `Authorization: Bearer ${JSON.parse(login.body).token}`
  assert.deepEqual(call(guarded, network, '--header', authorization), { status: 200, body: networkAnswer })
  const refused = call(guarded, listening, '--header', authorization)
  assert.equal(refused.status, 401)
  assert.match(refused.body, /"code":-40100/)
})

test('a token of the WebSocket port is not valid over HTTP', async () => {
  const headers = { authorization: await bearer(guarded.websocket) }
  const body = '{"jsonrpc":"2.0","id":1,"method":"net_version"}'
  const refused = await fetch(httpUrl(guarded), { method: 'POST', headers, body })
  assert.equal(refused.status, 401)
})
