import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import type { Fork } from '#types/genesis/fork-schedule.ts'
import { createMemoryKv, type MemoryKv } from './kv/memory-kv.fixture.ts'
import { blockOf, hashOf, openTestStore, testOptions } from './ledger.fixture.ts'
import { LATEST_SCHEMA_VERSION, META, schemaVersionOf } from './meta.ts'
import { openStore, openStoreReader } from './open-store.ts'

const NOTHING = new Uint8Array(0)

const forks = (...rows: [Fork['name'], Fork['trigger'], bigint][]): Fork[] => [
  { name: 'frontier', trigger: 'block', from: 0n },
  ...rows.map(([name, trigger, from]) => ({ name, trigger, from })),
]

/** A store with blocks 0 to 5, the last at time 50. */
async function filled(schedule: readonly Fork[]): Promise<MemoryKv> {
  const kv = createMemoryKv()
  const store = await openTestStore(kv, { forks: schedule })
  for (let number = 0; number <= 5; number++) await store.commitBlocks([blockOf(store, number, NOTHING)])
  return kv.crash()
}

test('a store of another network is refused', async () => {
  const kv = await filled(forks())
  await assert.rejects(openTestStore(kv, { genesisHash: hashOf('other') }), (error) => {
    assert.ok(error instanceof Fault)
    assert.equal(error.kind, 'STORE_OTHER_GENESIS')
    assert.match(error.message, /belongs to another network.*--data-path/)
    return true
  })
})

test('a database belongs to a development network from its creation on, or never', async () => {
  const production = await filled(forks())
  await assert.rejects(openTestStore(production, { isDevelopment: true }), { kind: 'STORE_OTHER_NETWORK' })
  const kv = createMemoryKv()
  await openTestStore(kv, { isDevelopment: true })
  await assert.rejects(openTestStore(kv.crash(), {}), { kind: 'STORE_OTHER_NETWORK' })
  assert.ok((await openTestStore(kv.crash(), { isDevelopment: true })).isDevelopment)
})

test('a fork may move while it is above the head', async () => {
  const kv = await filled(forks(['berlin', 'block', 0n], ['london', 'block', 6n], ['shanghai', 'time', 51n]))
  const moved = forks(['berlin', 'block', 0n], ['london', 'block', 9n], ['cancun', 'time', 60n])
  const store = await openTestStore(kv, { forks: moved })
  assert.equal(store.head()?.number, 5)
  await openTestStore(kv.crash(), { forks: moved })
})

for (const [what, before, after, fork] of [
  ['moved from above', forks(['london', 'block', 6n]), forks(['london', 'block', 5n]), 'london'],
  ['moved from below', forks(['london', 'block', 5n]), forks(['london', 'block', 6n]), 'london'],
  [
    'added',
    forks(['berlin', 'block', 0n]),
    forks(['berlin', 'block', 0n], ['london', 'block', 3n]),
    'london',
  ],
  ['removed', forks(['shanghai', 'time', 50n]), forks(), 'shanghai'],
] as const) {
  test(`a fork that was ${what} below the head is refused by name`, async () => {
    const kv = await filled(before)
    await assert.rejects(openTestStore(kv, { forks: after }), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.kind, 'STORE_OTHER_SCHEDULE')
      assert.equal(error.data.fork, fork)
      return true
    })
  })
}

test('naming forks that a later one hides makes no difference', async () => {
  const kv = await filled(forks(['london', 'block', 0n]))
  await openTestStore(kv, {
    forks: forks(['homestead', 'block', 0n], ['berlin', 'block', 0n], ['london', 'block', 0n]),
  })
})

test('a store of a newer Cairn or of another format is refused', async () => {
  const kv = await filled(forks())
  await assert.rejects(openTestStore(kv, { format: 'FOREST' }), { kind: 'STORE_OTHER_FORMAT' })
  const batch = kv.batch()
  META.identity.write(batch, { schemaVersion: LATEST_SCHEMA_VERSION + 1, format: 'BONSAI' })
  await batch.write({ sync: true })
  await assert.rejects(openTestStore(kv), { kind: 'STORE_NEWER' })
  const archive = createMemoryKv()
  await openTestStore(archive, { format: 'FOREST' })
  await assert.rejects(openTestStore(archive, { format: 'BONSAI' }), { kind: 'STORE_OTHER_FORMAT' })
})

test('a store of an older schema is marked with the current one before anything is written', async () => {
  const kv = await filled(forks())
  const batch = kv.batch()
  META.identity.write(batch, { schemaVersion: 1, format: 'BONSAI' })
  await batch.write({ sync: true })
  assert.equal((await openTestStore(kv, { forks: forks() })).head()?.number, 5)
  assert.equal(META.identity.read(kv)?.schemaVersion, schemaVersionOf('BONSAI', false))
})

test('the database on disk can be reopened by readers next to the writer, but not by another process', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-store-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'database')
  await assert.rejects(openStoreReader({ path, historyBlocks: 512 }), { kind: 'STORE_MISSING' })
  const options = { ...testOptions, path, cacheBytes: 1024 * 1024 }
  const store = await openStore(options)
  for (let number = 0; number < 3; number++) await store.commitBlocks([blockOf(store, number, NOTHING)])
  const reader = await openStoreReader({ path, historyBlocks: 512 })
  assert.equal(reader.head()?.number, 2)
  await store.commitBlocks([blockOf(store, 3, NOTHING)])
  assert.equal(reader.head()?.number, 3)
  const script = `
    import { openStoreReader } from ${JSON.stringify(import.meta.resolve('./open-store.ts'))}
    await openStoreReader({ path: ${JSON.stringify(path)}, historyBlocks: 512 }).catch((error) => console.log(error.kind))`
  const other = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.equal(other.stdout.trim(), 'STORE_IN_USE')
  await reader.close()
  await store.close()
  const again = await openStore(options)
  assert.equal(again.head()?.number, 3)
  await again.close()
})

test('a reader of a missing folder, or of one without a database, fails and creates nothing', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-store-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of [join(folder, 'database'), join(folder, 'no', 'such', 'database')]) {
    await assert.rejects(openStoreReader({ path, historyBlocks: 512 }), { kind: 'STORE_MISSING' })
  }
  assert.deepEqual(readdirSync(folder), [])
  await assert.rejects(openStoreReader({ path: folder, historyBlocks: 512 }), { kind: 'STORE_MISSING' })
})
