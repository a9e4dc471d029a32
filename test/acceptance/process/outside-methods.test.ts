import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { createNodeWith } from '#node/create-node.ts'
import { openRpcClient } from '../../support/rpc-client.ts'

const MODULE = new URL('./outside-methods.ts', import.meta.url).href

test('methods from outside the package have their own API, on servers and engine threads', async (t) => {
  const options = {
    logging: 'OFF',
    'rpc-engine-threads': 1,
    'rpc-http-enabled': true,
    'rpc-http-port': 0,
    'rpc-http-api': 'ETH,OUTSIDE',
  } as const
  const start = (modules?: readonly string[]) => createNodeWith({ genesis: GENESIS_TEXT, options }, modules)
  await assert.rejects(start(), /invalid entries found \[OUTSIDE\]/)
  const node = await start([MODULE])
  t.after(() => node.stop())
  const client = openRpcClient(node.http!.port)
  t.after(() => client.close())
  assert.deepEqual((await client.call('rpc_modules')).result, { eth: '1.0', outside: '1.0' })
  assert.equal((await client.call('outside_clientVersion')).result, 'outside cairn')
  assert.equal((await client.call('outside_engine')).result, 'an engine at 0')
  assert.equal((await client.call('net_version')).error?.message, 'Method not enabled')
  const modules = (await node.provider.request({ method: 'rpc_modules' })) as object
  assert(Object.keys(modules).includes('outside'))
})
