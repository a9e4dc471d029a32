import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLevelKv } from '#store/kv/kv.ts'
import { tablesToVerify, verifyTables } from './verify-tables.ts'

const FOOTER_BYTES = 48
const KEYS = 20

/** Written entries become a table when the database is reopened. */
async function makeTable(context: TestContext): Promise<{ folder: string; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tables-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const kv = await openLevelKv(folder, { createIfMissing: true })
  const batch = kv.batch()
  for (let index = 0; index < KEYS; index++) batch.put(Uint8Array.of(index), new Uint8Array(9).fill(index))
  await batch.write({ sync: true })
  await kv.close()
  await (await openLevelKv(folder, { createIfMissing: true })).close()
  const [table] = tablesToVerify(folder)
  return { folder, file: join(folder, `${String(table!.number).padStart(6, '0')}.ldb`) }
}

test('one wrong bit anywhere in the blocks of a table is noticed', async (context) => {
  const { folder, file } = await makeTable(context)
  const tables = tablesToVerify(folder)
  const content = readFileSync(file)
  await verifyTables(folder, tables)
  for (let offset = 0; offset < content.length - FOOTER_BYTES; offset++) {
    writeFileSync(file, content.with(offset, content[offset]! ^ (1 << (offset % 8))))
    await assert.rejects(verifyTables(folder, tables), { kind: 'STORE_CORRUPT' }, `byte ${offset}`)
  }
})

test('a truncated or empty table is damaged', async (context) => {
  const { folder, file } = await makeTable(context)
  const tables = tablesToVerify(folder)
  const content = readFileSync(file)
  for (const wrong of [
    content.subarray(1),
    content.subarray(0, -1),
    content.with(-1, 0),
    new Uint8Array(0),
  ]) {
    writeFileSync(file, wrong)
    await assert.rejects(verifyTables(folder, tables), { kind: 'STORE_CORRUPT' })
  }
})
