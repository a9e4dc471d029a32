import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, LOGGER, openTestChain, REVERTER, RICH, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import type { Address } from '#types/address.ts'
import type { Chain } from './create-chain.ts'
import { type RebuildResult, rebuildTraces } from './rebuild-traces.ts'

const BLOCKS = [[call(0), call(1, LOGGER)], [], [call(2, REVERTER)], [call(3, LOGGER)]]

async function chainOf(keepCallTrees: boolean): Promise<Chain> {
  const chain = await openTestChain({ traceStoreEnabled: keepCallTrees })
  for (const transactions of BLOCKS) await extend(chain, transactions)
  return chain
}

async function rebuild(chain: Chain, isStopped = () => false): Promise<RebuildResult> {
  const { store } = chain
  const view = createChainView({ store, genesis: testGenesis() })
  const engine = await createJsEngine()
  return rebuildTraces({ store, chain: view, engine, onProgress: () => undefined, isStopped })
}

async function found(chain: Chain, callers: readonly Address[], callees: readonly Address[]) {
  const range = { fromBlock: 0, toBlock: BLOCKS.length }
  return Array.fromAsync(new Lookup(chain.store).transactionsWithCalls(range, callers, callees))
}

test('rebuilt traces equal those recorded at import', async () => {
  const recorded = await chainOf(true)
  const rebuilt = await chainOf(false)
  assert.equal(new Lookup(rebuilt.store).callTrees(1), undefined)
  assert.deepEqual(await rebuild(rebuilt), { rebuilt: 5, from: 0, end: 'complete' })
  for (let number = 1; number <= BLOCKS.length; number++) {
    const trees = new Lookup(recorded.store).callTrees(number)
    assert.deepEqual(new Lookup(rebuilt.store).callTrees(number), trees)
  }
  assert.deepEqual(await found(rebuilt, [RICH], [LOGGER]), await found(recorded, [RICH], [LOGGER]))
})

test('a stopped rebuild continues where it ended', async () => {
  const chain = await chainOf(false)
  let left = 2
  const first = await rebuild(chain, () => left-- === 0)
  assert.deepEqual([first.rebuilt, first.end], [2, 'stopped'])
  assert.equal(chain.store.tracedFrom(), 3)
  const second = await rebuild(chain)
  assert.equal(second.end, 'complete')
  assert.equal(second.rebuilt, 3)
  assert.equal((await rebuild(chain)).rebuilt, 0)
})

test('calls are found by the index, and below it every block is a candidate', async () => {
  const chain = await openTestChain({ traceStoreEnabled: true })
  for (const transactions of BLOCKS) await extend(chain, transactions)
  assert.deepEqual(await found(chain, [], [LOGGER]), [
    { number: 1, positions: [1] },
    { number: 4, positions: [0] },
  ])
  assert.deepEqual(
    (await found(chain, [], [])).map(({ positions }) => positions),
    Array(5).fill(undefined),
  )
  const without = await chainOf(false)
  assert.equal((await found(without, [], [LOGGER])).length, 5)
})
