import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { formatDigits } from '#types/hex.ts'
import { createMemoryKv } from './kv/memory-kv.fixture.ts'
import { createSlowKv } from './kv/slow-kv.fixture.ts'
import {
  blockOf,
  followingBlock,
  type ModelState,
  openTestStore,
  RandomBlocks,
  WideChanges,
} from './ledger.fixture.ts'
import type { NewBlock, StorageFormat } from './store.ts'
import type { Store } from './writer.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)
const BATCH_BLOCKS = 3

interface ExpectedBlock {
  readonly changes: Uint8Array
  readonly root: string
}

/** Commits the same blocks one by one, each durable before the next. */
async function commitInTurn(changes: Iterable<Uint8Array>, format: StorageFormat): Promise<ExpectedBlock[]> {
  const store = await openTestStore(createMemoryKv(), { format })
  const expected: ExpectedBlock[] = []
  for (const bytes of changes) {
    const block = blockOf(store, expected.length, bytes)
    await store.commitBlocks([block])
    expected.push({ changes: bytes, root: formatDigits(block.state.root) })
  }
  return expected
}

/** Changes that make tries flush by groups. */
function* wideChanges(count: number): Iterable<Uint8Array> {
  const wide = new WideChanges(createSeededRandom(seed), 1000)
  yield wide.genesis()
  for (let number = 1; number < count; number++) yield wide.next()
}

/** Few accounts that come and go with small tries, over more than a round, so these are evicted too. */
function* smallChanges(count: number): Iterable<Uint8Array> {
  const blocks = new RandomBlocks(createSeededRandom(seed), { addresses: 60, slots: 12, changes: 4 })
  const state: ModelState = new Map()
  for (let number = 0; number < count; number++) yield blocks.next(state)
}

function deriveBatch(store: Store, expected: readonly ExpectedBlock[], from: number): NewBlock[] {
  const batch: NewBlock[] = []
  let parent = store.headState()
  for (const [index, { changes, root }] of expected.slice(from, from + BATCH_BLOCKS).entries()) {
    const block = followingBlock(store, parent, from + index, changes)
    assert.equal(formatDigits(block.state.root), root, `root of block ${from + index}`)
    batch.push(block)
    parent = block.state
  }
  return batch
}

for (const format of ['BONSAI', 'FOREST'] satisfies StorageFormat[]) {
  for (const size of ['wide', 'small'] as const) {
    test(`states are derived on the new head while its batch is being written (${format}, ${size} tries, seed ${seed})`, async () => {
      const expected = await commitInTurn(size === 'wide' ? wideChanges(121) : smallChanges(901), format)
      const memory = createMemoryKv()
      const kv = createSlowKv(memory)
      const store = await openTestStore(kv, { format })
      let batch = deriveBatch(store, expected.slice(0, 1), 0)
      for (let next = 1; batch.length > 0; next += BATCH_BLOCKS) {
        const isHeld = kv.hold()
        const committed = store.commitBlocks(batch)
        await isHeld
        assert.notEqual(store.head()?.number, batch.at(-1)?.number)
        batch = deriveBatch(store, expected, next)
        kv.release()
        await committed
      }
      await store.settled()
      const reopened = await openTestStore(memory.crash(), { format })
      assert.equal(formatDigits(reopened.headState().root), expected.at(-1)!.root)
    })
  }
}
