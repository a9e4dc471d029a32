import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { followingBlock, type ModelState, openTestStore, RandomBlocks } from '#store/ledger.fixture.ts'
import type { NewBlock } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { formatDigits } from '#types/hex.ts'
import { accountsChangedIn, changedSlots, readChangedKeys } from './changed-keys.ts'
import { collectPack } from './pack-keys.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)
const WORK = { pause: () => undefined, isStopped: () => false }

/** Commits blocks in batches of these sizes. */
async function storeOf(batches: readonly number[]): Promise<Store> {
  const store = await openTestStore(createMemoryKv(), { format: 'FOREST' })
  const blocks = new RandomBlocks(createSeededRandom(seed), { addresses: 9, slots: 9, changes: 6 })
  const state: ModelState = new Map()
  let number = 0
  for (const size of batches) {
    const batch: NewBlock[] = []
    for (let index = 0; index < size; index++) {
      const parent = batch.at(-1)?.state ?? store.headState()
      batch.push(followingBlock(store, parent, number++, blocks.next(state)))
    }
    await store.commitBlocks(batch)
  }
  return store
}

/** Accounts and slots as texts. */
function keysIn(store: Store, first: number, last: number): string[] {
  const keys: string[] = []
  for (const account of accountsChangedIn(store.kv, first, last)) {
    const address = formatDigits(account.address)
    keys.push(address)
    for (const slot of changedSlots(account))
      keys.push(`${address} ${account.incarnation} ${formatDigits(slot)}`)
  }
  return keys
}

async function packInto(store: Store, first: number, end: number): Promise<number | undefined> {
  const pack = await collectPack(store.kv, first, end, WORK)
  const batch = store.kv.batch()
  pack?.write(batch)
  await batch.write({ sync: true })
  return pack?.last
}

test(`a pack has each changed key of its blocks once (seed ${seed})`, async () => {
  const store = await storeOf(new Array(40).fill(1))
  const before = keysIn(store, 0, 29)
  assert.equal(await packInto(store, 0, 30), 29)
  const after = keysIn(store, 0, 29)
  assert.deepEqual(new Set(after), new Set(before))
  const slots = after.filter((key) => key.includes(' '))
  assert.equal(new Set(slots).size, slots.length)
  assert.ok(after.length < before.length)
})

test('a part of a pack, and packed next to other blocks, yields at least their keys', async () => {
  const store = await storeOf(new Array(30).fill(1))
  const wanted = new Set(keysIn(store, 8, 25))
  await packInto(store, 0, 10)
  await packInto(store, 10, 20)
  assert.ok(wanted.isSubsetOf(new Set(keysIn(store, 8, 25))))
})

test('a batch that a rewind may cut is not packed', async () => {
  const store = await storeOf([1, 4, 4])
  assert.equal(await packInto(store, 0, 7), 4)
  assert.equal(await packInto(store, 5, 7), undefined)
  assert.equal(readChangedKeys(store.kv, 5).packedInto, undefined)
})

test('a stopped collection changes nothing', async () => {
  const store = await storeOf([1, 1, 1])
  assert.equal(await collectPack(store.kv, 0, 3, { ...WORK, isStopped: () => true }), undefined)
})
