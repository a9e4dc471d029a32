import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestChain, RICH } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { copyChain } from '#store/backup/copy-chain.ts'
import { createBackup } from '#store/backup/create-backup.ts'
import { restoreBackup } from '#store/backup/restore-backup.ts'
import { verifyBackup } from '#store/backup/verify-backup.ts'
import { storeFault } from '#store/faults.ts'
import { TABLE } from '#store/kv/keys.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { openStoreReader } from '#store/open-store.ts'
import { readChangedKeys } from '#store/state/changed-keys.ts'
import type { Store } from '#store/writer.ts'
import { addressToBytes } from '#types/address.ts'
import type { Chain } from './create-chain.ts'
import { allAnswers, blocksInDatabase, growChain, moverOf, SEGMENT_BLOCKS } from './move-history.fixture.ts'

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-move-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function openIn(folder: string): Promise<Chain> {
  return openTestChain({}, await openLevelKv(folder, { createIfMissing: true }))
}

/** A chain with blocks that have not moved. Closing it again is harmless. */
async function openGrown(t: TestContext, blocks: number): Promise<{ folder: string; chain: Chain }> {
  const folder = temporary(t)
  const chain = await openIn(folder)
  t.after(() => chain.close())
  await growChain(chain, blocks)
  return { folder, chain }
}

async function rowsIn(chain: Chain, table: number): Promise<number> {
  let rows = 0
  const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: 100_000 }
  for await (const _ of chain.store.kv.range(range)) rows++
  return rows
}

test('every answer about moved blocks is the same, also on another thread and after a restart', async (t) => {
  const { folder, chain } = await openGrown(t, 30)
  const before = await allAnswers(chain.store)
  const transactions = await rowsIn(chain, TABLE.transaction)
  const reader = await openStoreReader({ path: folder, historyBlocks: 512 })
  assert.equal(await moverOf(chain).moveAll(), true)
  assert.deepEqual(chain.store.past.mark(), { end: 24, cleared: 24, segmentBlocks: SEGMENT_BLOCKS })
  assert.deepEqual(await allAnswers(chain.store), before)
  assert.deepEqual(await allAnswers(reader), before)
  for (const table of [TABLE.header, TABLE.body, TABLE.receipts, TABLE.callTrees, TABLE.canonical])
    assert.deepEqual(await blocksInDatabase(chain, table), [0, 24, 25, 26, 27, 28, 29, 30])
  assert.equal(await rowsIn(chain, TABLE.number), 8)
  assert.ok((await rowsIn(chain, TABLE.transaction)) < transactions / 3)
  for (const table of [TABLE.logAddress, TABLE.traceCaller, TABLE.traceCallee])
    assert.ok((await rowsIn(chain, table)) <= 2 * 7)
  await reader.close()
  await chain.close()
  const again = await openIn(folder)
  assert.deepEqual(await allAnswers(again.store), before)
  await growChain(again, 10)
  await moverOf(again).moveAll()
  assert.equal(again.store.past.mark()?.end, 32)
  assert.deepEqual((await allAnswers(again.store)).slice(0, 31), before.slice(0, 31))
  await again.close()
})

test('blocks move while others are imported, and readers miss none', async (t) => {
  const { chain } = await openGrown(t, 40)
  const before = (await allAnswers(chain.store)).slice(0, 41)
  const moving = moverOf(chain).moveAll()
  let isDone = false
  void moving.then(() => {
    isDone = true
  })
  for (let round = 0; !isDone || round < 2; round++) {
    await growChain(chain, 1)
    assert.deepEqual((await allAnswers(chain.store)).slice(0, 41), before)
  }
  await moving
  assert.ok(chain.store.past.mark()!.end >= 32)
})

test('a rewind below the first block in the database is refused, and the chain continues', async (t) => {
  const { chain } = await openGrown(t, 20)
  await moverOf(chain).moveAll()
  assert.equal(chain.store.lowestRewind(), 16)
  await assert.rejects(chain.unwind(15), { kind: 'STATE_UNAVAILABLE', message: /segments/ })
  await chain.unwind(16)
  await growChain(chain, 4)
  assert.equal(chain.head.header.number, 20n)
})

test('a segment of blocks that are rewound meanwhile is not used', async (t) => {
  const { chain } = await openGrown(t, 20)
  const mover = moverOf(chain)
  const moving = mover.moveAll()
  await chain.unwind(3)
  await growChain(chain, 6)
  await moving
  assert.equal(chain.store.past.mark(), undefined)
  const before = await allAnswers(chain.store)
  await growChain(chain, 20)
  await mover.moveAll()
  assert.deepEqual((await allAnswers(chain.store)).slice(0, 10), before.slice(0, 10))
})

test('a stopped move leaves every block in the database and continues later', async (t) => {
  const { folder, chain } = await openGrown(t, 30)
  const before = await allAnswers(chain.store)
  const mover = moverOf(chain)
  mover.start()
  await mover.stop()
  assert.equal(chain.store.past.mark(), undefined)
  await moverOf(chain).moveAll()
  assert.deepEqual(await allAnswers(chain.store), before)
  assert.deepEqual(readdirSync(join(folder, 'segments')).sort(), [
    '000000000000.segment',
    '000000000008.segment',
    '000000000016.segment',
  ])
})

test('a move ends while the database has room for the next block, leaves no file and continues later', async (t) => {
  const { folder, chain } = await openGrown(t, 30)
  const before = await allAnswers(chain.store)
  const names = () => readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const parts = () => names().filter((name) => name.endsWith('.part'))
  const room = t.mock.method(chain.store.kv, 'requireRoom', () => {
    if (parts().length > 0) throw storeFault('DISK_FULL', { sentence: 'The disk is full.' })
  })
  await assert.rejects(moverOf(chain).moveAll(), { kind: 'DISK_FULL' })
  assert.deepEqual(parts(), [])
  room.mock.restore()
  await moverOf(chain).moveAll()
  assert.equal(chain.store.past.mark()?.cleared, 24)
  assert.deepEqual(await allAnswers(chain.store), before)
})

test('a damaged segment is reported, other blocks are readable, and a replaced file is used at once', async (t) => {
  const { folder, chain } = await openGrown(t, 30)
  const before = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  const path = join(folder, 'segments', '000000000008.segment')
  const good = readFileSync(path)
  const lookup = new Lookup(chain.store)
  const inFirst = lookup.block(1)!.block.transactions[0]!.hash
  rmSync(path)
  writeFileSync(
    path,
    good.map((byte) => byte ^ 1),
  )
  const store = await openStoreReader({ path: folder, historyBlocks: 512 })
  const damaged = { kind: 'SEGMENT_DAMAGED', message: /000000000008\.segment is damaged/ }
  t.after(() => store.close())
  assert.throws(() => store.canonicalHash(9), damaged)
  assert.throws(() => store.numberOf(new Uint8Array(32)), damaged)
  assert.equal(new Lookup(store).transactionInBlock(inFirst)?.known.header.number, 1n)
  assert.notEqual(store.canonicalHash(17), undefined)
  rmSync(path)
  assert.throws(() => store.canonicalHash(9), damaged)
  writeFileSync(path, good)
  assert.deepEqual(await allAnswers(store), before)
  await growChain(chain, 1)
})

test('a segment of another range or network is refused', async (t) => {
  const { folder, chain } = await openGrown(t, 30)
  await moverOf(chain).moveAll()
  const at = (first: string) => join(folder, 'segments', `${first}.segment`)
  writeFileSync(at('000000000008'), readFileSync(at('000000000000')))
  const store = await openStoreReader({ path: folder, historyBlocks: 512 })
  t.after(() => store.close())
  assert.throws(() => store.canonicalHash(9), { kind: 'SEGMENT_DAMAGED', message: /another chain or range/ })
})

test('an earlier version does not open a database with moved blocks', async (t) => {
  const folder = temporary(t)
  const open = async () => {
    const kv = await openLevelKv(folder, { createIfMissing: true })
    return openTestChain({ format: 'BONSAI' }, kv)
  }
  const chain = await open()
  await growChain(chain, 20)
  assert.equal(META.identity.read(chain.store.kv)?.schemaVersion, 2)
  await moverOf(chain).moveAll()
  await chain.close()
  const again = await open()
  assert.equal(META.identity.read(again.store.kv)?.schemaVersion, 3)
  await again.close()
})

test('an earlier version does not open an archive of states', async () => {
  const { store } = await openTestChain()
  assert.equal(META.identity.read(store.kv)?.schemaVersion, 4)
})

test('changed keys of moved blocks are packed while others are imported', async (t) => {
  const { folder, chain } = await openGrown(t, 40)
  const prove = (store: Store) =>
    Array.from({ length: 41 }, (_, number) => store.proofAt(number, addressToBytes(RICH), []))
  const before = prove(chain.store)
  const moving = moverOf(chain).moveAll()
  await growChain(chain, 5)
  await moving
  assert.equal(META.packed.read(chain.store.kv), chain.store.past.mark()?.end)
  const lists = Array.from({ length: 46 }, (_, number) => readChangedKeys(chain.store.kv, number))
  assert.ok(lists.slice(32).some(({ accounts }) => accounts.length > 0))
  for (const { accounts, packedInto } of lists.slice(0, 32))
    assert.deepEqual([accounts.length, packedInto === undefined], [0, false])
  assert.deepEqual(prove(chain.store), before)
  await chain.unwind(chain.store.lowestRewind())
  await chain.close()
  const again = await openIn(folder)
  await growChain(again, 8)
  assert.deepEqual(prove(again.store).slice(0, 32), before.slice(0, 32))
  await again.close()
})

test('a backup has the segments, and its restored chain gives the same answers', async (t) => {
  const dataPath = temporary(t)
  const database = join(dataPath, 'database')
  const chain = await openIn(database)
  await growChain(chain, 30)
  const before = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  await chain.close()
  const [to, restored, copy] = ['backup', 'restored', 'copy'].map((name) => join(temporary(t), name))
  const work = { signal: new AbortController().signal, onProgress: () => {} }
  const made = { madeBy: 'test', madeAt: '2026-01-01T00:00:00.000Z' }
  const files = { database, dataPath, keyFile: undefined, auditFile: join(dataPath, 'audit.jsonl') }
  const { genesisHash } = await createBackup({ ...work, ...made, ...files, to: to! })
  await verifyBackup(to!, work)
  await restoreBackup({ ...work, from: to!, dataPath: restored!, genesisHash, additions: {} })
  await copyChain({ ...work, from: restored!, dataPath: copy!, genesisHash })
  for (const folder of [restored!, copy!]) {
    const again = await openStoreReader({ path: join(folder, 'database'), historyBlocks: 512 })
    assert.deepEqual(await allAnswers(again), before)
    await again.close()
  }
  const segment = join(database, 'segments', '000000000008.segment')
  const bytes = readFileSync(segment)
  bytes[20]! ^= 1
  writeFileSync(segment, bytes)
  const damaged = { kind: 'SEGMENT_DAMAGED', message: /000000000008/ }
  await assert.rejects(createBackup({ ...work, ...made, ...files, to: `${to}-2` }), damaged)
  rmSync(segment)
  await assert.rejects(createBackup({ ...work, ...made, ...files, to: `${to}-2` }), damaged)
})
