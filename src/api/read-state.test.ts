import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LATEST } from '#api/schema/values.ts'
import { call, extend, openTestChain, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { addressToBytes } from '#types/address.ts'
import { readState } from './read-state.ts'

const balance = (state: { account(address: Uint8Array): { balance: bigint } | undefined }) =>
  state.account(addressToBytes(SOMEBODY))?.balance ?? 0n

test('the named block determines the state', async () => {
  const chain = await openTestChain()
  await extend(chain, [call(0)])
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  assert.equal(readState(view, LATEST, balance), 5n)
  assert.equal(readState(view, { kind: 'number', number: 0n }, balance), 0n)
  assert.equal(readState(view, { kind: 'number', number: 2n }, balance), undefined)
  await chain.close()
})

test('an announced head that has left the chain is replaced by the stored head', async () => {
  const chain = await openTestChain()
  await extend(chain, [call(0)])
  const announced = { number: 1, hash: chain.head.hash }
  const view = createChainView({ store: chain.store, genesis: testGenesis(), announcedHead: () => announced })
  await chain.unwind(0)
  await extend(chain)
  const read = readState(view, LATEST, (state, { hash }) => ({ hash, balance: balance(state) }))
  assert.deepEqual(read, { hash: chain.head.hash, balance: 0n })
  await chain.close()
})

test('data read during a reorg is read again', async () => {
  const chain = await openTestChain()
  await extend(chain, [call(0)])
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const old = view.head()
  await chain.unwind(0)
  await extend(chain)
  const heads = [old, view.head()]
  const moving = { ...view, head: () => heads[0]!, storedHead: () => heads[1]! }
  assert.equal(readState(moving, LATEST, balance), 0n)
  assert.equal(readState(moving, { kind: 'number', number: 1n }, balance), 0n)
  await chain.close()
})

test('a request for the state of a removed block is valid and finds no state', async () => {
  const chain = await openTestChain()
  await extend(chain, [call(0)])
  const { hash } = chain.head
  await chain.unwind(0)
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const selector = { kind: 'hash', hash, requireCanonical: false } as const
  assert.equal(readState(view, selector, balance), undefined)
  assert.throws(() => readState(view, { ...selector, requireCanonical: true }, balance), {
    kind: 'JSON_RPC_NOT_CANONICAL_ERROR',
  })
  await chain.close()
})
