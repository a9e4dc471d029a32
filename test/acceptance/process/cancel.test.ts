import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { GENESIS_TEXT, LOOPER } from '#chain/chain.fixture.ts'
import { type CommandLineOptions, createNodeWith } from '#node/create-node.ts'
import { openRpcClient } from '../../support/rpc-client.ts'

const PLANTED = new URL('./planted-methods.ts', import.meta.url).href
/** Would loop for years: any later answer proves that the node stopped the call. */
const ENDLESS = { to: LOOPER, gas: '0xffffffffffff' }

async function startNode(t: TestContext, options: CommandLineOptions = {}) {
  const http = { 'rpc-http-enabled': true, 'rpc-http-port': 0, 'rpc-http-api': 'ETH,DEBUG' }
  const common = { logging: 'OFF', 'rpc-engine-threads': 1, 'rpc-gas-cap': 0 } as const
  const node = await createNodeWith({ genesis: GENESIS_TEXT, options: { ...common, ...http, ...options } }, [
    PLANTED,
  ])
  t.after(() => node.stop())
  return node
}

test('a client that leaves stops the work of its request', async (t) => {
  const node = await startNode(t)
  const { port } = node.http!
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [ENDLESS, 'latest'] })
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  // As many as the engine accepts at a time, so no other call gets through while they loop.
  for (let count = 0; count < 4; count++) {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.write(head + body, resolve))
    await new Promise((resolve) => setTimeout(resolve, 200))
    socket.destroy()
  }
  const client = openRpcClient(port)
  t.after(() => client.close())
  assert.equal((await client.call('debug_plantedEcho', 'free')).result, 'free')
})

test('time that is up stops the work of a request', async (t) => {
  const node = await startNode(t, { 'Xhttp-timeout-seconds': 1 })
  const client = openRpcClient(node.http!.port)
  t.after(() => client.close())
  await assert.rejects(client.call('eth_call', ENDLESS, 'latest'), /504 Gateway Timeout/)
  assert.equal((await client.call('debug_plantedEcho', 'free')).result, 'free')
})
