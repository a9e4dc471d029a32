import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openRpcClient } from '../../support/rpc-client.ts'
import { LoadSenders } from './load-senders.ts'

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('a node that ends during a nonce request counts as gone, and nothing is thrown', async (t) => {
  let asked = 0
  const server = createServer((request, response) => {
    if (asked++ > 0) request.socket.resetAndDestroy()
    else response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Nonce too low"}}')
  })
  const client = openRpcClient(await listen(t, server))
  t.after(() => client.close())
  const load = new LoadSenders(1)
  assert.equal(await load.send(client, load.all[0]!), false)
  assert.ok(asked > 1)
})

test('a request on an idle connection that the node closes is sent again', async (t) => {
  let asked = 0
  const server = createServer((request, response) => {
    if (++asked === 2) request.socket.resetAndDestroy()
    else response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  const client = openRpcClient(await listen(t, server))
  t.after(() => client.close())
  for (let call = 0; call < 2; call++) assert.equal((await client.call('eth_blockNumber')).result, '0x1')
  assert.equal(asked, 3)
})
