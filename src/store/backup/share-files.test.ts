import assert from 'node:assert/strict'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { RandomSegmentBlocks } from '#store/segments/segment.fixture.ts'
import { reduceToHeaders, writeSegmentFile } from '#store/segments/segment-file.ts'
import {
  create,
  folder,
  GENESIS,
  openChain,
  random,
  restore,
  SMALL,
  work,
  writeBlock,
} from './backup.fixture.ts'
import { verifyBackup } from './verify-backup.ts'

const COUNT = 20

/** Adds a segment as a day of blocks would. */
async function addSegment(kv: Kv, segments: string): Promise<void> {
  const first = META.moved.read(kv)?.end ?? 0
  const world = new RandomSegmentBlocks(random)
  const blockAt = () => world.next(5_000)
  const rest = { isStopped: () => false, pause: () => undefined }
  await writeSegmentFile({ folder: segments, first, count: COUNT, genesisHash: GENESIS, blockAt, ...rest })
  const batch = kv.batch()
  META.moved.write(batch, { end: first + COUNT, cleared: first + COUNT, segmentBlocks: COUNT })
  await batch.write({ sync: true })
}

function inodeOf(backup: string, name: string): number {
  return statSync(join(backup, 'database', name)).ino
}

test('a backup of one more day copies the bytes of that day, and each backup is complete without the other', async (t) => {
  const source = folder()
  const database = join(source, 'database')
  const segments = join(database, 'segments')
  const kv = await openChain(source)
  for (let day = 0; day < 6; day++) await addSegment(kv, segments)
  for (let number = 2; number < 40; number++) await writeBlock(kv, number)
  await kv.compact(Uint8Array.of(0), Uint8Array.of(255))
  const [first, second] = [folder(), folder()]
  const complete = await create(source, first)
  assert.ok(complete.copiedBytes > 6 * 50_000)
  await addSegment(kv, segments)
  await writeBlock(kv, 40)
  const { copiedBytes, files, head } = await create(source, second, undefined, first)
  const day = statSync(join(segments, '000000000120.segment')).size
  t.diagnostic(`first backup: ${complete.copiedBytes} bytes; one more day of ${day}: ${copiedBytes} copied`)
  // Logs and the list of tables are copied too.
  assert.ok(copiedBytes > day && copiedBytes < day + 100_000, `${copiedBytes} bytes for a day of ${day}`)
  assert.ok(files.some(({ name }) => name === 'database/segments/000000000120.segment'))
  for (const name of readdirSync(segments)
    .slice(0, 6)
    .map((each) => `segments/${each}`))
    assert.equal(inodeOf(second, name), inodeOf(first, name))
  const tables = readdirSync(join(first, 'database')).filter((name) => name.endsWith('.ldb'))
  assert.ok(tables.some((name) => inodeOf(first, name) === statSync(join(second, 'database', name)).ino))
  rmSync(first, { recursive: true })
  await verifyBackup(second, work)
  const target = folder()
  await restore(second, target)
  const restored = await openLevelKv(join(target, 'database'), { createIfMissing: false, ...SMALL })
  assert.equal(META.head.read(restored)?.number, head.number)
  await restored.close()
  // A pruned segment has the same name and other content.
  await reduceToHeaders(segments, 0)
  const third = folder()
  await create(source, third, undefined, second)
  await kv.close()
  await verifyBackup(third, work)
  assert.notEqual(
    inodeOf(third, 'segments/000000000000.segment'),
    inodeOf(second, 'segments/000000000000.segment'),
  )
  assert.equal(
    inodeOf(third, 'segments/000000000020.segment'),
    inodeOf(second, 'segments/000000000020.segment'),
  )
})

test('an earlier backup of another chain shares nothing, and a directory that is not a backup is refused', async () => {
  const backups: string[] = []
  for (const base of [undefined, 0]) {
    const source = folder()
    const kv = await openChain(source)
    await addSegment(kv, join(source, 'database', 'segments'))
    await kv.compact(Uint8Array.of(0), Uint8Array.of(255))
    await kv.close()
    const to = folder()
    const { copiedBytes, files } = await create(
      source,
      to,
      undefined,
      base === undefined ? base : backups[base],
    )
    backups.push(to)
    assert.ok(copiedBytes >= files.filter(({ name }) => name.endsWith('.segment'))[0]!.bytes)
    await verifyBackup(to, work)
    await assert.rejects(create(source, folder(), undefined, source), { kind: 'BACKUP_INVALID' })
  }
  const names = readdirSync(join(backups[0]!, 'database')).filter((name) => /ldb|segment/.test(name))
  for (const name of names.filter((each) => each.endsWith('.ldb')))
    assert.notEqual(
      statSync(join(backups[1]!, 'database', name), { throwIfNoEntry: false })?.ino,
      inodeOf(backups[0]!, name),
    )
})
