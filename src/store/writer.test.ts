/* Checks of the writer's input. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from '#types/keccak.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import { accountKey, historyKey, numberKey, TABLE } from './kv/keys.ts'
import { createMemoryKv, type MemoryKv } from './kv/memory-kv.fixture.ts'
import { blockOf, followingBlock, hashOf, openTestStore, transactionHashesOf } from './ledger.fixture.ts'
import { EMPTY_CODE_HASH } from './state/account-record.ts'
import { decodeChangedKeys } from './state/changed-keys.ts'

const alice = hashOf('alice').subarray(0, 20)
const slot = hashOf('slot')

function paying(balance: bigint): Uint8Array {
  const writer = new StateChangesWriter()
  writer.account(alice, 1n, balance, EMPTY_CODE_HASH)
  writer.storage(alice, slot, hashOf('value'))
  return writer.finish()
}

async function remove(kv: MemoryKv, key: Uint8Array): Promise<void> {
  const batch = kv.batch()
  batch.delete(key)
  await batch.write({ sync: true })
}

test('an address and a slot are found by hash once they were written', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  assert.deepEqual(store.addressOf(keccak256(alice)), new Uint8Array(alice))
  assert.deepEqual(store.slotOf(keccak256(slot)), new Uint8Array(slot))
})

test('marks are read back', async () => {
  const store = await openTestStore(createMemoryKv())
  for (const number of [0, 1]) await store.commitBlocks([blockOf(store, number, paying(BigInt(number)))])
  const [safe, finalized] = [1, 0].map((number) => ({ number, hash: store.canonicalHash(number)! }))
  await store.setMarks({ safe: safe! })
  assert.deepEqual([store.safe()?.number, store.finalized()?.number], [1, undefined])
  await store.setMarks({ finalized: finalized! })
  assert.deepEqual([store.safe()?.number, store.finalized()?.number], [1, 0])
})

test('a block whose state has another parent is refused', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  const one = blockOf(store, 1, paying(6n), 'one')
  const onOne = followingBlock(store, one.state, 2, paying(7n))
  await store.commitBlocks([blockOf(store, 1, paying(8n), 'other')])
  await assert.rejects(store.commitBlocks([onOne]), { name: 'AssertionFailure' })
})

test('a rewind above the head is refused', async () => {
  const store = await openTestStore(createMemoryKv())
  await assert.rejects(store.unwind(0, transactionHashesOf), { name: 'AssertionFailure' })
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  await assert.rejects(store.unwind(1, transactionHashesOf), { name: 'AssertionFailure' })
  await store.unwind(0, transactionHashesOf)
  assert.equal(store.head()?.number, 0)
})

test('blocks of a batch that is cut by a rewind belong to the tries of the last one that stays', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  const batchEnd = (number: number): number =>
    decodeChangedKeys(number, kv.get(numberKey(TABLE.changedKeys, number))!).batchEnd
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  const first = blockOf(store, 1, paying(6n))
  const second = followingBlock(store, first.state, 2, paying(7n))
  const third = followingBlock(store, second.state, 3, paying(8n))
  await store.commitBlocks([first, second, third])
  assert.deepEqual([0, 1, 2, 3].map(batchEnd), [0, 3, 3, 3])
  await store.unwind(2, transactionHashesOf)
  assert.deepEqual([0, 1, 2].map(batchEnd), [0, 2, 2])
})

test('a storage trie that grew large is flushed by groups from then on, a small one at once', async () => {
  for (const [slots, isByGroups] of [
    [8, false],
    [200, true],
  ] as const) {
    const kv = createMemoryKv()
    const store = await openTestStore(kv)
    const writer = new StateChangesWriter()
    writer.account(alice, 1n, 5n, EMPTY_CODE_HASH)
    for (let index = 0; index < slots; index++) writer.storage(alice, hashOf(`${index}`), hashOf('value'))
    await store.commitBlocks([blockOf(store, 0, writer.finish())])
    await store.commitBlocks([blockOf(store, 1, paying(6n))])
    const { accounts } = decodeChangedKeys(1, kv.get(numberKey(TABLE.changedKeys, 1))!)
    assert.deepEqual(
      accounts.map(({ hasFreshRoot }) => hasFreshRoot),
      [isByGroups],
    )
  }
})

test('a store that lacks data for a rewind is damaged', async () => {
  for (const lost of [numberKey(TABLE.changedKeys, 1), historyKey(accountKey(alice), 1)]) {
    const kv = createMemoryKv()
    const store = await openTestStore(kv)
    for (const number of [0, 1]) await store.commitBlocks([blockOf(store, number, paying(BigInt(number)))])
    await remove(kv, lost)
    await assert.rejects(store.unwind(0, transactionHashesOf), { kind: 'STORE_CORRUPT' })
  }
})

test('a store whose write failed can still be closed', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  kv.failAfter(0)
  await assert.rejects(store.commitBlocks([blockOf(store, 1, paying(6n))]), { kind: 'DISK_FULL' })
  await store.close()
})

test('a store is closed on a full disk without writing', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  await store.commitBlocks([blockOf(store, 0, paying(5n))])
  kv.requireRoom = () => {
    throw new Error('The disk is full.')
  }
  kv.failAfter(0)
  await store.close()
})
