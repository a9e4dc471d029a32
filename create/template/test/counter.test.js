import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { createNode } from 'cairn-node'
import { createTestClient, custom, publicActions, walletActions } from 'viem'
import { compile } from '../scripts/compile.js'

const { abi, bytecode } = compile('Counter')
let node, client, counter, deployed

before(async () => {
  node = await createNode({ network: 'dev' })
  const [account] = await node.provider.request({ method: 'eth_accounts' })
  client = createTestClient({ account, mode: 'anvil', transport: custom(node.provider), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  const hash = await client.deployContract({ abi, bytecode, args: [2n], chain: null })
  const { contractAddress: address } = await client.getTransactionReceipt({ hash })
  counter = { address, abi }
})
after(() => node.stop())

// Every test begins with the deployed contract.
beforeEach(async () => {
  deployed = await client.snapshot()
})
afterEach(() => client.revert({ id: deployed }))

const count = () => client.readContract({ ...counter, functionName: 'count' })
const increment = () => client.writeContract({ ...counter, functionName: 'increment', chain: null })

test('increment adds one', async () => {
  await increment()
  assert.equal(await count(), 1n)
})

test('the counter stops at its limit', async () => {
  await increment()
  await increment()
  await assert.rejects(client.simulateContract({ ...counter, functionName: 'increment' }), /LimitReached/)
})

test('a test does not see the increments of others', async () => {
  assert.equal(await count(), 0n)
})
