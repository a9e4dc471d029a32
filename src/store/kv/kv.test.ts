import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Kv, type KvRange, openLevelKv } from './kv.ts'
import { createMemoryKv } from './memory-kv.fixture.ts'

const databases: Record<string, (context: TestContext) => Promise<Kv> | Kv> = {
  LevelDB: async (context) => {
    const path = mkdtempSync(join(tmpdir(), 'cairn-kv-'))
    const kv = await openLevelKv(path, { createIfMissing: true, cacheBytes: 1024 * 1024 })
    context.after(async () => {
      await kv.close()
      rmSync(path, { recursive: true, force: true })
    })
    return kv
  },
  memory: () => createMemoryKv(),
}

async function fill(kv: Kv): Promise<void> {
  const batch = kv.batch()
  for (let index = 0; index < 10; index++) batch.put(Uint8Array.of(1, index), Uint8Array.of(index))
  batch.put(Uint8Array.of(1), Uint8Array.of(0xff))
  await batch.write({ sync: true })
}

async function keys(kv: Kv, range: Partial<KvRange>): Promise<number[][]> {
  const found: number[][] = []
  const whole = { gte: Uint8Array.of(1), lt: Uint8Array.of(2), limit: 100, ...range }
  for await (const [key] of kv.range(whole)) found.push([...key])
  return found
}

for (const [name, open] of Object.entries(databases)) {
  test(`${name}: a batch is visible after it is written, and not before`, async (context) => {
    const kv = await open(context)
    const key = Uint8Array.of(7)
    const batch = kv.batch()
    batch.put(key, Uint8Array.of(1))
    key[0] = 8
    batch.put(key, new Uint8Array(0))
    assert.equal(batch.bytes, 3)
    assert.equal(kv.get(Uint8Array.of(7)), undefined)
    await batch.write({ sync: true })
    assert.deepEqual([...kv.get(Uint8Array.of(7))!], [1])
    assert.deepEqual([...kv.get(Uint8Array.of(8))!], [])
  })

  test(`${name}: the last of several writes to a key in a batch wins`, async (context) => {
    const kv = await open(context)
    const batch = kv.batch()
    batch.put(Uint8Array.of(7), Uint8Array.of(1))
    batch.delete(Uint8Array.of(7))
    batch.delete(Uint8Array.of(8))
    batch.put(Uint8Array.of(8), Uint8Array.of(2))
    await batch.write({ sync: false })
    assert.equal(kv.get(Uint8Array.of(7)), undefined)
    assert.deepEqual([...kv.get(Uint8Array.of(8))!], [2])
  })

  test(`${name}: a range is ordered by bytes, within its limit, in either direction`, async (context) => {
    const kv = await open(context)
    await fill(kv)
    assert.equal((await keys(kv, {})).length, 11)
    assert.deepEqual(await keys(kv, { limit: 2 }), [[1], [1, 0]])
    assert.deepEqual(await keys(kv, { gte: Uint8Array.of(1, 3), lt: Uint8Array.of(1, 5) }), [
      [1, 3],
      [1, 4],
    ])
    assert.deepEqual(await keys(kv, { limit: 2, reverse: true }), [
      [1, 9],
      [1, 8],
    ])
  })

  test(`${name}: a snapshot does not see later writes`, async (context) => {
    const kv = await open(context)
    await fill(kv)
    const snapshot = kv.snapshot()
    const batch = kv.batch()
    batch.delete(Uint8Array.of(1, 0))
    batch.put(Uint8Array.of(1, 1), Uint8Array.of(99))
    await batch.write({ sync: true })
    assert.deepEqual([...snapshot.get(Uint8Array.of(1, 0))!], [0])
    assert.deepEqual([...snapshot.get(Uint8Array.of(1, 1))!], [1])
    snapshot.close()
    assert.equal(kv.get(Uint8Array.of(1, 0)), undefined)
  })
}

test('a crash of the database in memory loses unsynced batches from the end', async () => {
  const kv = createMemoryKv()
  await fill(kv)
  for (let index = 0; index < 3; index++) {
    const batch = kv.batch()
    batch.put(Uint8Array.of(1, 0), Uint8Array.of(50 + index))
    await batch.write({ sync: false })
  }
  assert.equal(kv.unsyncedBatches, 3)
  const survived = kv.crash(1)
  assert.deepEqual([...survived.get(Uint8Array.of(1, 0))!], [50])
  assert.throws(() => kv.get(Uint8Array.of(1)), { kind: 'STORE_CLOSED' })
})

test('a database opened under two names is one database', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-kv-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const [path, link] = [join(folder, 'path'), join(folder, 'link')]
  const kv = await openLevelKv(path, { createIfMissing: true, cacheBytes: 1024 * 1024 })
  symlinkSync(path, link)
  const other = await openLevelKv(link, { createIfMissing: false, cacheBytes: 1024 * 1024 })
  await fill(kv)
  assert.deepEqual([...other.get(Uint8Array.of(1, 1))!], [1])
  await other.close()
  await kv.close()
})
