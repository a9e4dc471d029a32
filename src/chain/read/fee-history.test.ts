import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import type { Hash } from '#types/hash.ts'
import { createChainView } from './create-chain-view.ts'
import { feeHistory } from './fee-history.ts'
import { FeeSamples, percentileOf } from './fee-samples.ts'

async function open() {
  const chain = await openTestChain()
  await extend(chain, [call(0), call(1)])
  await extend(chain)
  return { chain, view: createChainView({ store: chain.store, genesis: testGenesis() }) }
}

test('there is one base fee more than blocks, and the range ends at block 0', async () => {
  const { chain, view } = await open()
  const history = feeHistory(view, view.head(), 10, undefined)
  assert.equal(history.oldest, 0n)
  assert.equal(history.baseFees.length, 4)
  assert.equal(history.gasUsedRatios.length, 3)
  assert.equal(history.rewards, undefined)
  await chain.close()
})

test('tips go by percentiles of gas, and an empty block pays none', async () => {
  const { chain, view } = await open()
  const history = feeHistory(view, view.head(), 2, [0, 50, 100])
  assert.deepEqual(history.rewards, [
    [1n, 1n, 1n],
    [0n, 0n, 0n],
  ])
  await chain.close()
})

test('fees of recent blocks are sampled newest first, along one chain', async () => {
  const { chain, view } = await open()
  const tips = () => [...view.fees.upTo(view.head(), 2)].map(({ priorityFees }) => priorityFees)
  assert.deepEqual(tips(), [[], [1n, 1n]])
  assert.deepEqual(tips(), [[], [1n, 1n]])
  assert.equal([...view.fees.upTo(view.head(), 100)].length, 3)
  await chain.close()
})

test('usual fees are those of the newest blocks, also after the head moved', async () => {
  const { chain, view } = await open()
  const usual = (blocks: number) => view.fees.usual({ newest: view.head(), blocks, percentile: 50 })
  assert.deepEqual(usual(1), { gasPrice: undefined, priorityFee: undefined })
  assert.deepEqual(usual(2), { gasPrice: undefined, priorityFee: 1n })
  await extend(chain, [call(2)])
  assert.deepEqual(usual(1), { gasPrice: undefined, priorityFee: 1n })
  await chain.close()
})

test('a new head costs the read of one block', async () => {
  const { chain, view } = await open()
  let reads = 0
  const lookup = {
    firstBlock: () => 0,
    block: (hash: Hash) => {
      reads++
      return view.lookup.block(hash)
    },
  }
  const fees = new FeeSamples(lookup)
  const usual = () => fees.usual({ newest: view.head(), blocks: 100, percentile: 50 })
  usual()
  assert.equal(reads, 3)
  await extend(chain, [call(2)])
  usual()
  assert.equal(reads, 4)
  await chain.close()
})

test('a percentile is the value that so many percent lie below', () => {
  assert.equal(percentileOf([], 50), undefined)
  assert.equal(percentileOf([3n, 1n, 2n], 50), 2n)
  assert.equal(percentileOf([3n, 1n, 2n], 0), 1n)
  assert.equal(percentileOf([3n, 1n, 2n], 100), 3n)
})
