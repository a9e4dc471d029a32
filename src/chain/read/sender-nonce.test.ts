import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, openTestChain, RICH, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from './create-chain-view.ts'
import { findBySenderAndNonce } from './sender-nonce.ts'

test('every transaction is found by its sender and nonce', async () => {
  const chain = await openTestChain()
  await extend(chain)
  await extend(chain, [call(0), call(1)])
  await extend(chain)
  await extend(chain, [call(2)])
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const places = [0n, 1n, 2n].map((nonce) => {
    const found = findBySenderAndNonce(view, RICH, nonce)
    return [found?.known.header.number, found?.index]
  })
  assert.deepEqual(places, [
    [2n, 0],
    [2n, 1],
    [4n, 0],
  ])
  assert.equal(findBySenderAndNonce(view, RICH, 3n), undefined)
  assert.equal(findBySenderAndNonce(view, SOMEBODY, 0n), undefined)
  await chain.close()
})
