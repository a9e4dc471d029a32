/** Chains with segments, archives for them, and nodes that begin with their states. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { extend, GENESIS_TEXT, silentLog } from '#chain/chain.fixture.ts'
import { openIn } from '#chain/ledger/history.fixture.ts'
import { exportState, importState } from '#chain/snapshot/state-file.fixture.ts'
import { growChain, moverOf, RESTLESS, SEGMENT_BLOCKS } from '#chain/write/move-history.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { type S3Place, S3Store } from '#platform/object-store/s3-store.ts'
import { ArchiveKeeper } from '#store/archive/archive-keeper.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { StoreReader } from '#store/reader.ts'

const HISTORY_BLOCKS = 512

export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-archive-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'database')
}

/** A database of 30 blocks with the segments 0, 8 and 16. */
export async function makeMoved(t: TestContext, blocks = 30): Promise<string> {
  const path = temporary(t)
  const chain = await openIn(path)
  await growChain(chain, blocks)
  await moverOf(chain).moveAll()
  await chain.close()
  return path
}

export async function openReader(t: TestContext, path: string, place?: S3Place): Promise<StoreReader> {
  const archive = place && { ...place, cacheBytes: 0 }
  const store = await openStoreReader({ path, historyBlocks: HISTORY_BLOCKS, archive })
  t.after(() => store.close())
  return store
}

export function keeperOf(store: StoreReader, place: S3Place, localBytes?: number): ArchiveKeeper {
  const objects = new S3Store(place, systemClock)
  const { signal } = new AbortController()
  return new ArchiveKeeper({ store, objects, clock: RESTLESS, log: silentLog, localBytes, signal })
}

/** Runs the keeper of a database that no node has open. */
export async function keep(path: string, place: S3Place, localBytes?: number): Promise<void> {
  const store = await openStoreReader({ path, historyBlocks: HISTORY_BLOCKS })
  try {
    await keeperOf(store, place, localBytes).run()
  } finally {
    await store.close()
  }
}

/** A new database that begins with the state of another one's head. */
export async function makeFresh(t: TestContext, from: string): Promise<string> {
  const store = await openStoreReader({ path: from, historyBlocks: HISTORY_BLOCKS })
  const { format } = store
  await store.close()
  const path = temporary(t)
  await importState(await exportState(from), { database: path, format, genesisText: GENESIS_TEXT })
  await useSmallSegments(path)
  return path
}

async function useSmallSegments(path: string): Promise<void> {
  const kv = await openLevelKv(path, { createIfMissing: false })
  const batch = kv.batch()
  META.moved.write(batch, { end: 0, cleared: 0, segmentBlocks: SEGMENT_BLOCKS })
  await batch.write({ sync: true })
  await kv.close()
}

/** A node that began with a state and took outlines of the blocks below it. */
export async function makeOutlined(t: TestContext): Promise<string> {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t)
  await keep(from, s3.place, 0)
  const path = await makeFresh(t, from)
  await keep(path, s3.place)
  assert.deepEqual(filesOf(path), ['000000000000.outline', '000000000008.outline', '000000000016.outline'])
  return path
}

/** Adds 20 blocks above the state with which a node began, and moves what can move. */
export async function moveAbove(t: TestContext, path: string) {
  const chain = await openIn(path)
  t.after(() => chain.close())
  for (let block = 0; block < 20; block++) await extend(chain)
  await moverOf(chain).moveAll()
  for (let number = 0; number <= 50; number++)
    assert.ok(chain.store.canonicalHash(number), `header ${number}`)
  return chain
}

/** Segments, outlines and notes of a database, without merged indexes. */
export function filesOf(path: string): string[] {
  const names = readdirSync(join(path, 'segments')).filter((name) => /\.(segment|outline)/.test(name))
  return names.sort()
}

export function fileOf(path: string, name: string): string {
  return join(path, 'segments', name)
}

export function damage(path: string, name: string, at = 20): void {
  const file = fileOf(path, name)
  const bytes = readFileSync(file)
  bytes[at]! ^= 1
  writeFileSync(file, bytes)
}
