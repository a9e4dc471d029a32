import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, LOGGER, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { logTextsOnWay, wayBetween } from './filter-changes.ts'
import { ALL_LOGS } from './log-query.fixture.ts'

const markOf = (view: ChainView): HeadMark => {
  const { hash, header } = view.head()
  return { number: Number(header.number), hash }
}

/** A chain whose first block logs, is left, and is followed by two others of which the second logs. */
async function openReorganised() {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const start = markOf(view)
  await extend(chain, [call(0, LOGGER)])
  const left = markOf(view)
  await chain.unwind(0)
  await extend(chain, [call(0)])
  const middle = markOf(view)
  await extend(chain, [call(1, LOGGER)])
  return { chain, view, start, left, middle, head: markOf(view) }
}

test('the way to a new head is its blocks, lowest first', async () => {
  const { chain, view, start, middle, head } = await openReorganised()
  assert.deepEqual(wayBetween(view, start, head), { removed: [], added: [middle.hash, head.hash] })
  assert.deepEqual(wayBetween(view, head, head), { removed: [], added: [] })
  await chain.close()
})

test('over a reorganisation it goes back first, also while the chain has moved on', async () => {
  const { chain, view, left, middle, head } = await openReorganised()
  assert.deepEqual(wayBetween(view, left, head), { removed: [left.hash], added: [middle.hash, head.hash] })
  await chain.unwind(0)
  assert.deepEqual(wayBetween(view, left, middle), { removed: [left.hash], added: [middle.hash] })
  await chain.close()
})

test('logs of removed blocks are returned again as removed', async () => {
  const { chain, view, left, head } = await openReorganised()
  const texts = [...logTextsOnWay(view, wayBetween(view, left, head), ALL_LOGS)]
  const told = texts.map((text) => JSON.parse(text)).map(({ blockHash, removed }) => [blockHash, removed])
  assert.deepEqual(told, [
    [left.hash, true],
    [head.hash, false],
  ])
  await chain.close()
})

test('block numbers bound the returned changes', async () => {
  const { chain, view, start, head } = await openReorganised()
  const way = wayBetween(view, start, head)
  const upTo = (number: bigint) => [
    ...logTextsOnWay(view, way, { ...ALL_LOGS, toBlock: { kind: 'number', number } }),
  ]
  assert.equal(upTo(1n).length, 0)
  assert.equal(upTo(2n).length, 1)
  await chain.close()
})
