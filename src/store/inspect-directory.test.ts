import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { openLevelKv } from './kv/kv.ts'
import { openTestStore } from './ledger.fixture.ts'
import { openStoreReader } from './open-store.ts'

/** A data directory with non-empty files of these names. */
function dataPathWith(
  context: TestContext,
  names: readonly string[],
  beside: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-inspect-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'database'))
  for (const name of names) writeFileSync(join(folder, 'database', name), `content of ${name}`)
  for (const name of beside) writeFileSync(join(folder, name), '{"v2":{"format":"BONSAI","version":3}}')
  return folder
}

const stateOf = (folder: string) =>
  readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])

async function faultOf(path: string): Promise<Fault> {
  const before = stateOf(path)
  const opened = await openLevelKv(path, { createIfMissing: true }).catch((error: unknown) => error)
  assert.ok(opened instanceof Fault, 'it is refused')
  assert.deepEqual(stateOf(path), before, 'nothing was touched')
  return opened
}

const ROCKSDB = ['CURRENT', 'IDENTITY', 'LOCK', 'LOG', 'MANIFEST-000005', 'OPTIONS-000007', '000004.log']

test('a RocksDB directory stays unchanged, and the fault names its program and how to migrate the blocks', async (context) => {
  for (const names of [ROCKSDB, [...ROCKSDB, '000012.sst'], ['000012.sst', 'CURRENT', 'MANIFEST-000005']]) {
    const folder = dataPathWith(context, names, ['DATABASE_METADATA.json'])
    const fault = await faultOf(join(folder, 'database'))
    assert.equal(fault.kind, 'STORE_FOREIGN')
    assert.match(
      fault.message,
      /is of Besu.*RocksDB.*Nothing was changed.*blocks export --to=.*blocks import/,
    )
    assert.doesNotMatch(fault.message, /damaged|[Rr]emove/)
    await assert.rejects(openStoreReader({ path: join(folder, 'database'), historyBlocks: 512 }), {
      kind: 'STORE_FOREIGN',
    })
  }
  const unnamed = dataPathWith(context, ROCKSDB)
  assert.match((await faultOf(join(unnamed, 'database'))).message, /of another program, as Besu makes it/)
})

test('a directory with foreign files is refused, but an empty one or a mounted disk is not', async (context) => {
  const foreign = await faultOf(join(dataPathWith(context, ['data.mdb', 'lock.mdb']), 'database'))
  assert.equal(foreign.kind, 'STORE_FOREIGN')
  assert.match(foreign.message, /data\.mdb.*another --data-path/)
  for (const names of [[], ['lost+found'], ['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp']]) {
    const path = join(dataPathWith(context, names), 'database')
    const kv = await openLevelKv(path, { createIfMissing: true, cacheBytes: 1024 * 1024 })
    await kv.close()
  }
})

test('a database without its file CURRENT is damaged, and its files stay', async (context) => {
  const path = join(dataPathWith(context, []), 'database')
  const kv = await openLevelKv(path, { createIfMissing: true, cacheBytes: 1024 * 1024 })
  await kv.close()
  rmSync(join(path, 'CURRENT'))
  const fault = await faultOf(path)
  assert.equal(fault.kind, 'STORE_CORRUPT')
  assert.match(fault.message, /CURRENT is missing.*import or sync the chain again/)
})

test('a LevelDB of another program is refused, and nothing is written to it', async (context) => {
  const path = join(dataPathWith(context, []), 'database')
  const kv = await openLevelKv(path, { createIfMissing: true, cacheBytes: 1024 * 1024 })
  const batch = kv.batch()
  batch.put(Buffer.from('DatabaseVersion'), Buffer.from('8'))
  await batch.write({ sync: true })
  await assert.rejects(openTestStore(kv), { kind: 'STORE_FOREIGN' })
  const keys: string[] = []
  for await (const [key] of kv.range({ gte: Buffer.of(0), lt: Buffer.of(255), limit: 10 }))
    keys.push(String(key))
  assert.deepEqual(keys, ['DatabaseVersion'])
  await kv.close()
})
