import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { type SyncNode, type SyncNodeOptions, sending, startSyncNode } from './sync.fixture.ts'
import { ETH } from './wire/eth-codes.ts'

const TIMEOUT = { timeout: 60_000 }

async function node(t: TestContext, blocks: number, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++) await extend(chain)
  return startSyncNode(t, chain, testGenesis(), options)
}

async function read({ metrics }: SyncNode): Promise<{ isInSync: number; bestKnown: number }> {
  const values = await metrics.sample()
  const numberOf = (name: string) => values.find((one) => one.name === name)!.values[0]!.value
  return {
    isInSync: numberOf('cairn_synchronizer_in_sync'),
    bestKnown: numberOf('ethereum_best_known_block_number'),
  }
}

test('the metrics show the best known block and whether the node is in sync', TIMEOUT, async (t) => {
  let isHeld = true
  const full = await node(
    t,
    6,
    sending((code, data) => (isHeld && code === ETH.blockHeaders ? undefined : data)),
  )
  // A timeout of ten seconds passes in half a second.
  const behind = await node(t, 2, { pace: 20 })
  assert.deepEqual(await read(behind), { isInSync: 1, bestKnown: 2 })
  const left: string[] = []
  behind.network.left.subscribe(({ end }) => left.push(end.reason))
  behind.network.maintain(full.enode)
  await until(() => behind.sync.progress() !== undefined)
  const progress = { startingBlock: 2, currentBlock: 2, highestBlock: 6 }
  assert.deepEqual(behind.sync.progress(), progress)
  assert.deepEqual(behind.sharedProgress.read(2), progress)
  assert.deepEqual(await read(behind), { isInSync: 0, bestKnown: 6 })
  // A peer that does not show its claimed blocks no longer counts.
  await until(() => behind.sync.progress() === undefined)
  await until(() => behind.sharedProgress.read(2) === undefined)
  assert.deepEqual(left, [])
  assert.deepEqual(await read(behind), { isInSync: 1, bestKnown: 2 })
  isHeld = false
  await until(() => Number(behind.chain.head.header.number) === 6)
  assert.deepEqual(await read(behind), { isInSync: 1, bestKnown: 6 })
})
