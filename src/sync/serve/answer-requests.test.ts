import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { answerBodies, answerReceipts } from './answer-requests.ts'

test('who asks for unknown blocks makes this node look no more often than others do', async (t) => {
  const chain = await openTestChain()
  t.after(() => chain.close())
  await extend(chain)
  const view = createChainView({ store: chain.store, genesis: testGenesis(), keccak: keccak256 })
  const { hash } = chain.head
  const unknown = (count: number): Hash[] =>
    Array.from({ length: count }, (_, at) => hashFromBytes(bigintToBytes(BigInt(at + 1), 32)))
  assert.equal(answerBodies(view, [...unknown(255), hash]).length, 1)
  assert.equal(answerBodies(view, [...unknown(256), hash]).length, 0)
  assert.equal(answerReceipts(view, 69, [...unknown(511), hash]).length, 1)
  assert.equal(answerReceipts(view, 69, [...unknown(512), hash]).length, 0)
})
