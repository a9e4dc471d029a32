import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { tablesToVerify } from '#store/tables/verify-tables.ts'
import { holdDatabase } from './hold-database.ts'
import { openLevelKv } from './kv.ts'

const CACHE_BYTES = 1024 * 1024
const ENTRIES = 300
const random = createSeededRandom(5)
const keyOf = (index: number): Buffer => Buffer.from(`key ${index}`)

/** A database with some tables, as LevelDB leaves it after its log became too long. */
async function filled(context: TestContext): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'cairn-hold-'))
  context.after(() => rmSync(path, { recursive: true, force: true }))
  const options = { createIfMissing: true, cacheBytes: CACHE_BYTES, writeBufferBytes: 64 * 1024 }
  const kv = await openLevelKv(path, options)
  for (let index = 0; index < ENTRIES; index++) {
    const batch = kv.batch()
    batch.put(keyOf(index), random.randomBytes(1_000))
    await batch.write({ sync: false })
  }
  await kv.close()
  await (await openLevelKv(path, options)).close()
  assert.ok(tablesOf(path).length > 1)
  return path
}

/** The tables that the manifest names: LevelDB may leave a compacted one behind, whose content no longer matters. */
const tablesOf = (path: string): string[] =>
  tablesToVerify(path).map(({ number }) => join(path, `${String(number).padStart(6, '0')}.ldb`))

test('a database with intact tables is held, with the remains of a power failure', async (context) => {
  const path = await filled(context)
  writeFileSync(join(path, '009999.ldb'), 'half a table that no manifest names')
  await (await holdDatabase(path)).close()
})

test('one changed byte anywhere in a table is found before the database is opened', async (context) => {
  const path = await filled(context)
  for (const table of tablesOf(path)) {
    const whole = readFileSync(table)
    // The bytes after the numbers in the footer have no meaning.
    for (const at of [0, random.randomBelow(whole.length - 48), whole.length - 48, whole.length - 1]) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1
      writeFileSync(table, damaged)
      await assert.rejects(holdDatabase(path), { kind: 'STORE_CORRUPT' }, `byte ${at} of ${whole.length}`)
    }
    writeFileSync(table, whole.subarray(0, -100))
    await assert.rejects(holdDatabase(path), /its table .*ldb is not as it was written.*import or sync/)
    writeFileSync(table, whole)
  }
  await (await holdDatabase(path)).close()
})

test('damage in a table that is verified next to the open database is reported to its holder', async (context) => {
  const path = await filled(context)
  const oldest = tablesOf(path).sort()[0]!
  const content = readFileSync(oldest)
  content[random.randomBelow(content.length - 48)]! ^= 1
  writeFileSync(oldest, content)
  const held = await holdDatabase(path, 0)
  assert.match((await held.damaged).message, /its table .*ldb is not as it was written.*import or sync/)
  await held.close()
})

test('closing the database does not wait for the remaining verification', async (context) => {
  const path = await filled(context)
  await (await holdDatabase(path, 0)).close()
  await (await holdDatabase(path)).close()
})

test('the holder of the database learns of damage found by a reader', async (context) => {
  const path = await filled(context)
  const held = await holdDatabase(path)
  // Written in place: truncating a file that a program maps into memory ends the program.
  for (const table of tablesOf(path)) {
    writeFileSync(table, random.randomBytes(readFileSync(table).length), { flag: 'r+' })
  }
  const kv = await openLevelKv(path, { createIfMissing: false, cacheBytes: CACHE_BYTES })
  const readAll = (): void => {
    for (let index = 0; index < ENTRIES; index++) kv.get(keyOf(index))
  }
  assert.throws(readAll, { kind: 'STORE_CORRUPT' })
  assert.match((await held.damaged).message, /The database is damaged.*import or sync the chain again/)
  await kv.close()
  await held.close()
})
