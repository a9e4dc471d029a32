import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { FetchRequest, JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, http, webSocket } from 'viem'
import { Web3 } from 'web3'
import WebSocket from 'ws'
import { hashPassword } from '#rpc/auth/password-hash.ts'
import { type RunningNode, startNode } from '../process/running-node.ts'

const NETWORK_ID = '2018'
const CREDENTIALS = JSON.stringify({ username: 'alice', password: 'correct horse' })
const VERSION = /^cairn\/v/

const folder = mkdtempSync(join(tmpdir(), 'cairn-clients-'))
let open: RunningNode
let guarded: RunningNode
let token: string

before(async () => {
  const apis = ['--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-http-api=NET,WEB3', '--rpc-ws-api=NET,WEB3']
  const credentials = join(folder, 'credentials.toml')
  writeFileSync(
    credentials,
    `[Users.alice]\npassword = "${hashPassword('correct horse')}"\npermissions = ["*:*"]\n`,
  )
  const authentication = ['http', 'ws'].flatMap((transport) => [
    `--rpc-${transport}-authentication-enabled`,
    `--rpc-${transport}-authentication-credentials-file=${credentials}`,
  ])
  open = await startNode([...apis, `--network-id=${NETWORK_ID}`])
  guarded = await startNode([...apis, `--network-id=${NETWORK_ID}`, ...authentication])
  const answer = await fetch(`http://127.0.0.1:${guarded.http}/login`, { method: 'POST', body: CREDENTIALS })
  token = ((await answer.json()) as { token: string }).token
})

after(async () => {
  await Promise.all([open.stop(), guarded.stop()])
  rmSync(folder, { recursive: true })
})

const httpUrl = (node: RunningNode) => `http://127.0.0.1:${node.http}`
const websocketUrl = (node: RunningNode) => `ws://127.0.0.1:${node.websocket}`

/** Its network is given: there is no chain id to ask for yet. */
const ETHERS = [Number(NETWORK_ID), { staticNetwork: true }] as const

test('ethers calls over HTTP, one by one and in a batch, and sees our errors', async (context) => {
  const provider = new JsonRpcProvider(httpUrl(open), ...ETHERS)
  context.after(() => provider.destroy())
  assert.match(await provider.send('web3_clientVersion', []), VERSION)
  const batch = await Promise.all([provider.send('net_version', []), provider.send('web3_sha3', ['0x'])])
  assert.deepEqual(batch, [NETWORK_ID, '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'])
  await assert.rejects(
    provider.send('eth_blockNumber', []),
    (error: { error?: { code: number } }) => error.error?.code === -32604,
  )
})

test('ethers calls with a bearer token', async (context) => {
  const request = new FetchRequest(httpUrl(guarded))
  request.setHeader('Authorization', `Bearer ${token}`)
  const provider = new JsonRpcProvider(request, ...ETHERS)
  context.after(() => provider.destroy())
  assert.equal(await provider.send('net_version', []), NETWORK_ID)
})

test('ethers calls over WebSocket', async (context) => {
  const provider = new WebSocketProvider(websocketUrl(open), ...ETHERS)
  context.after(() => provider.destroy())
  assert.match(await provider.send('web3_clientVersion', []), VERSION)
})

test('viem calls over HTTP, batched, over WebSocket and with a bearer token', async () => {
  const batched = createPublicClient({ transport: http(httpUrl(open), { batch: true, retryCount: 0 }) })
  const [version, network] = await Promise.all([
    batched.request({ method: 'web3_clientVersion' }),
    batched.request({ method: 'net_version' }),
  ])
  assert.match(version, VERSION)
  assert.equal(network, NETWORK_ID)

  const live = createPublicClient({ transport: webSocket(websocketUrl(open), { retryCount: 0 }) })
  assert.match(await live.request({ method: 'web3_clientVersion' }), VERSION)
  await assert.rejects(live.request({ method: 'eth_chainId' }), { code: -32604 })
  ;(await live.transport.getRpcClient()).close()

  const headers = { Authorization: `Bearer ${token}` }
  const authorised = createPublicClient({
    transport: http(httpUrl(guarded), { fetchOptions: { headers }, retryCount: 0 }),
  })
  assert.equal(await authorised.request({ method: 'net_version' }), NETWORK_ID)
  const stranger = createPublicClient({ transport: http(httpUrl(guarded), { retryCount: 0 }) })
  await assert.rejects(stranger.request({ method: 'net_version' }), { code: -40100 })
})

test('web3.js calls over HTTP, in a batch and over WebSocket', async () => {
  const web3 = new Web3(httpUrl(open))
  assert.match(await web3.eth.getNodeInfo(), VERSION)
  assert.equal(await web3.eth.net.getId(), BigInt(NETWORK_ID))
  const batch = new web3.BatchRequest()
  const version = batch.add({ method: 'web3_clientVersion', params: [] })
  const listening = batch.add({ method: 'net_listening', params: [] })
  await batch.execute()
  assert.match(String(await version), VERSION)
  assert.equal(await listening, false)

  const live = new Web3(websocketUrl(open))
  assert.equal(await live.eth.net.getId(), BigInt(NETWORK_ID))
  live.provider!.disconnect()
})

test('curl logs in and calls, single and batch', () => {
  const curl = (...args: string[]) =>
    execFileSync('curl', ['--silent', '--show-error', ...args], { encoding: 'utf8' })
  const login = JSON.parse(curl(`${httpUrl(guarded)}/login`, '--data', CREDENTIALS)) as { token: string }
  const call = { jsonrpc: '2.0', id: 1, method: 'net_version', params: [] }
  const send = (body: unknown) =>
    JSON.parse(
      curl(
        httpUrl(guarded),
        '--header',
        `Authorization: Bearer ${login.token}`,
        '--data',
        JSON.stringify(body),
      ),
    )
  assert.deepEqual(send(call), { jsonrpc: '2.0', id: 1, result: NETWORK_ID })
  assert.equal(send([call, { ...call, id: 2 }]).length, 2)
})

test('a token of the WebSocket port works there and not over HTTP', async () => {
  const answer = await fetch(`http://127.0.0.1:${guarded.websocket}/login`, {
    method: 'POST',
    body: CREDENTIALS,
  })
  const live = ((await answer.json()) as { token: string }).token
  const headers = { Authorization: `Bearer ${live}` }
  const socket = new WebSocket(websocketUrl(guarded), { headers })
  const reply = await new Promise<string>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => resolve(String(data)))
    socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"net_version"}'))
  })
  socket.close()
  assert.equal(reply, `{"jsonrpc":"2.0","id":1,"result":"${NETWORK_ID}"}`)
  const refused = await fetch(httpUrl(guarded), {
    method: 'POST',
    headers,
    body: '{"jsonrpc":"2.0","id":1,"method":"net_version"}',
  })
  assert.equal(refused.status, 401)
})
