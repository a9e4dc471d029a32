import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import {
  copyState,
  followingBlock,
  type ModelState,
  modelRoot,
  openTestStore,
  RandomBlocks,
} from '#store/ledger.fixture.ts'
import type { StorageFormat } from '#store/store.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)
const FIRST = new Uint8Array(32)

async function build(format: StorageFormat, count: number) {
  const random = createSeededRandom(seed)
  const blocks = new RandomBlocks(random, { addresses: 14, slots: 10, changes: 5 })
  const store = await openTestStore(createMemoryKv(), { format })
  const states: ModelState[] = []
  while (states.length < count) {
    const state = copyState(states.at(-1) ?? new Map())
    const block = followingBlock(store, store.headState(), states.length, blocks.next(state))
    await store.commitBlocks([block])
    states.push(state)
  }
  return { store, states, blocks, random }
}

for (const format of ['BONSAI', 'FOREST'] satisfies StorageFormat[]) {
  test(`changes on top of any kept state give the root of a block with them (${format}, seed ${seed})`, async () => {
    const { store, states, blocks } = await build(format, 80)
    for (const [number, before] of states.entries()) {
      const after = copyState(before)
      const changes = blocks.next(after)
      assert.deepEqual(store.rootAfter(number, changes).root, modelRoot(after), `on block ${number}`)
    }
  })

  test(`accounts and slots of any kept state are listed by hash (${format}, seed ${seed})`, async () => {
    const { store, states, blocks, random } = await build(format, 80)
    for (const [number, state] of states.entries()) {
      const hashes = [...state.keys()].map((digits) => hashOfDigits(digits)).sort()
      const all = store.accountHashesAt(number, FIRST, 1000).map(formatDigits)
      assert.deepEqual(all, hashes, `accounts at ${number}`)
      const from = random.randomBytes(32)
      const some = store.accountHashesAt(number, from, 3).map(formatDigits)
      assert.deepEqual(some, hashes.filter((hash) => hash >= formatDigits(from)).slice(0, 3))
      const address = blocks.addresses[number % blocks.addresses.length]!
      const stored = [...(state.get(formatDigits(address))?.storage ?? [])].filter(
        ([, value]) => value !== 0n,
      )
      const expected = stored.map(([slot, value]) => [
        hashOfDigits(slot),
        formatDigits(bigintToBytes(value, 32)),
      ])
      const slots = store.slotsAt(number, address, FIRST, 1000)
      assert.deepEqual(
        slots.map(({ hash, value }) => [formatDigits(hash), formatDigits(value)]),
        expected.sort(([a], [b]) => (a! < b! ? -1 : 1)),
        `slots at ${number}`,
      )
    }
  })
}

test('a block above the head has no root and no list', async () => {
  const { store } = await build('BONSAI', 1)
  assert.throws(() => store.rootAfter(1, new Uint8Array(0)), { kind: 'STATE_UNAVAILABLE' })
  assert.throws(() => store.accountHashesAt(1, FIRST, 1), { kind: 'STATE_UNAVAILABLE' })
  assert.throws(() => store.slotsAt(1, new Uint8Array(20), FIRST, 1), { kind: 'STATE_UNAVAILABLE' })
})

function hashOfDigits(digits: string): string {
  return formatDigits(keccak256(Buffer.from(digits, 'hex')))
}
