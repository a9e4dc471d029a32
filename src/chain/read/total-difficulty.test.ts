import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from './create-chain-view.ts'

test('on a BFT network the sum grows by one per block from block 0', async () => {
  const chain = await openTestChain()
  await extend(chain, [call(0)])
  await extend(chain)
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  assert.equal(view.totalDifficulty(view.head()), 3n)
  await chain.close()
})

test('on other networks it is the sum of the header difficulties', async () => {
  const chain = await openTestChain()
  await extend(chain)
  await extend(chain)
  const genesis = testGenesis()
  const consensus = { protocol: 'ethash', fixedDifficulty: undefined } as const
  const view = createChainView({
    store: chain.store,
    genesis: { ...genesis, config: { ...genesis.config, consensus } },
  })
  for (const number of [2, 0, 1, 2]) {
    assert.equal(view.totalDifficulty(view.lookup.header(number)!), BigInt(number) + 1n)
  }
  await chain.close()
})
