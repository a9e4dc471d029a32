import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, makeBlocks, openTestChain } from '#chain/chain.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { createSlowKv } from '#store/kv/slow-kv.fixture.ts'

const blocks = await makeBlocks(...Array.from({ length: 70 }, (_, index) => [call(index)]))

/** An import that waited for the batch would never end. */
const TIMEOUT_MS = 10_000

test('blocks are executed while the batch before them is being written', {
  timeout: TIMEOUT_MS,
}, async () => {
  const kv = createSlowKv(createMemoryKv())
  const chain = await openTestChain({}, kv)
  let committed = 0
  const isHeld = kv.hold()
  async function* received() {
    for (const [index, block] of blocks.entries()) {
      // The first batch has 32 blocks.
      if (index === 40) await isHeld
      if (index === 60) {
        assert.equal(committed, 0)
        kv.release()
      }
      yield chain.receive(block)
    }
  }
  const verdict = await chain.importMany(received(), {
    onCommitted: ({ imported }) => (committed = imported),
  })
  assert.deepEqual(verdict, { ok: true, imported: 70, known: 0 })
  assert.equal(committed, 70)
  assert.equal(chain.store.head()?.number, 70)
})

test('a batch that fails to be written ends the import with its fault', async () => {
  const kv = createMemoryKv()
  const chain = await openTestChain({}, kv)
  kv.failAfter(1)
  let committed = 0
  const received = blocks.map((block) => chain.receive(block))
  const importing = chain.importMany(received, { onCommitted: ({ imported }) => (committed = imported) })
  await assert.rejects(importing, { kind: 'DISK_FULL' })
  assert.equal(committed, 32)
  assert.equal(chain.store.head()?.number, 32)
})
