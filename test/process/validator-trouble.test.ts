/* What a validator does and says when something is wrong with its machine, or an operator asks for what it cannot do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRpcClient } from './rpc-client.ts'
import type { RunningNode } from './running-node.ts'
import { makeNetwork, moreBlocks, start } from './validator-network.ts'

test('debug_setHead is refused on a validator, which goes on', async (context) => {
  const node = await start(context, makeNetwork(context, 'qbft'))
  await moreBlocks(node, 3)
  const { error } = await call(node, 'debug_setHead', '0x1')
  assert.match(JSON.stringify(error), /is a validator.*--node-private-key-file/)
  await moreBlocks(node, 2)
  assert.equal(await node.stop(), 0, node.output())
})

async function call(node: RunningNode, method: string, ...params: readonly unknown[]) {
  const client = openRpcClient(node.http)
  try {
    return await client.call(method, ...params)
  } finally {
    client.close()
  }
}
