import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { formatDigits } from '#types/hex.ts'
import { createMemoryKv } from './kv/memory-kv.fixture.ts'
import { blockOf, followingBlock, openTestStore, transactionHashesOf, WideChanges } from './ledger.fixture.ts'
import type { NewBlock, StorageFormat } from './store.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)

for (const format of ['BONSAI', 'FOREST'] satisfies StorageFormat[]) {
  test(`after a crash at any block the tries have their root again (${format}, seed ${seed})`, async () => {
    const random = createSeededRandom(seed)
    const changes = new WideChanges(random, 1000)
    let kv = createMemoryKv()
    let store = await openTestStore(kv, { format })
    const roots: string[] = []
    for (let blocks = 0; blocks < 120; blocks++) {
      const number = roots.length
      const block = blockOf(store, number, number === 0 ? changes.genesis() : changes.next(), `${blocks}`)
      await store.commitBlocks([block])
      roots.push(formatDigits(block.state.root))
      if (random.randomBelow(40) === 0) {
        const to = Math.max(0, number - random.randomBelow(30))
        await store.unwind(to, transactionHashesOf)
        roots.length = to + 1
        assert.equal(formatDigits(store.headState().root), roots.at(-1), `unwound to ${to}`)
      }
      if (random.randomBelow(12) === 0) {
        kv = kv.crash()
        store = await openTestStore(kv, { format })
        assert.equal(formatDigits(store.headState().root), roots.at(-1), `crash after block ${number}`)
      }
    }
  })
}

test('small blocks that came in batches are repaired with the kept history', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv, { historyBlocks: 257 })
  const changes = new WideChanges(createSeededRandom(seed), 20)
  await store.commitBlocks([blockOf(store, 0, changes.genesis())])
  for (let number = 1; number < 600; ) {
    const batch: NewBlock[] = []
    for (; batch.length < 32; number++) {
      batch.push(followingBlock(store, batch.at(-1)?.state ?? store.headState(), number, new Uint8Array(0)))
    }
    await store.commitBlocks(batch)
  }
  await store.settled()
  const { root } = store.headState()
  const reopened = await openTestStore(kv.crash(), { historyBlocks: 257 })
  assert.equal(formatDigits(reopened.headState().root), formatDigits(root))
})
