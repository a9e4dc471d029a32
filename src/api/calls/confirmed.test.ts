import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { confirmed } from './run-call.ts'

test('neither a value nor a failure counts that was read of two chains', async () => {
  const chain = await openTestChain()
  await extend(chain)
  const state = createChainView({ store: chain.store, genesis: testGenesis() }).stateAt(1)
  const fail = (): Promise<never> => Promise.reject(new Error('reverted'))
  const throwAtOnce = (): never => {
    throw new Error('halted')
  }
  assert.equal(await confirmed(state, async () => 5), 5)
  await assert.rejects(async () => confirmed(state, fail), /reverted/)
  assert.equal(
    confirmed(state, () => 5),
    5,
  )
  assert.throws(() => confirmed(state, throwAtOnce), /halted/)
  await chain.unwind(0)
  for (const read of [async () => 5, () => 5, fail, throwAtOnce])
    await assert.rejects(async () => confirmed<number>(state, read), { kind: 'STATE_UNAVAILABLE' })
})
