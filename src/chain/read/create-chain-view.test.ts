import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extend, GENESIS_TEXT, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { HeadMark } from './chain-view.ts'
import { createChainView } from './create-chain-view.ts'

test('without announcements the head is the durable one', async () => {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  assert.equal(view.head().header.number, 0n)
  await extend(chain)
  assert.equal(view.head().hash, chain.head.hash)
  await chain.close()
})

test('with announcements the head is the announced one until the next', async () => {
  const chain = await openTestChain()
  let announced: HeadMark | undefined = { number: 0, hash: chain.head.hash }
  const view = createChainView({ store: chain.store, genesis: testGenesis(), announcedHead: () => announced })
  await extend(chain)
  assert.equal(view.head().header.number, 0n)
  assert.equal(view.storedHead().header.number, 1n)
  announced = { number: 1, hash: chain.head.hash }
  assert.equal(view.head().hash, chain.head.hash)
  await chain.close()
})

test('on BFT networks the announced head is safe and finalized', async () => {
  const chain = await openTestChain()
  const announced: HeadMark = { number: 0, hash: chain.head.hash }
  const view = createChainView({ store: chain.store, genesis: testGenesis(), announcedHead: () => announced })
  await extend(chain)
  assert.deepEqual([view.safe()?.hash, view.finalized()?.hash], [announced.hash, announced.hash])
  await chain.close()
})

test('on other networks unmarked blocks are neither safe nor finalized', async () => {
  const chain = await openTestChain()
  const { qbft, ...config } = JSON.parse(GENESIS_TEXT).config
  const verdict = parseGenesis(
    JSON.stringify({ ...JSON.parse(GENESIS_TEXT), config: { ...config, ethash: {} } }),
  )
  assert.ok(verdict.ok && qbft !== undefined)
  const view = createChainView({ store: chain.store, genesis: verdict.genesis })
  assert.equal(view.safe(), undefined)
  assert.equal(view.finalized(), undefined)
  await chain.close()
})

test('a pinned state serves the next callers until one of them catches up with a reorg', async () => {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  await extend(chain)
  const block = view.head()
  const state = view.pinState(block)
  assert.equal(view.pinState(block), state)
  await chain.unwind(0)
  assert.equal(view.pinState(block), state)
  assert.throws(() => view.pinState(block).confirm(), { kind: 'STATE_UNAVAILABLE' })
  view.catchUp()
  assert.throws(() => view.pinState(block), { kind: 'STATE_UNAVAILABLE' })
  await extend(chain)
  const later = view.pinState(view.head())
  assert.notEqual(later, state)
  later.confirm()
  await chain.close()
})
