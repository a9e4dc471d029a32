/** Summarises the database of a backup. It is opened like a node would open it, so an unusable copy is found here. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { storeFault } from '#store/faults.ts'
import { blockKey, TABLE } from '#store/kv/keys.ts'
import { openLevelKv, SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { META, type MovedMark, readTrieMark } from '#store/meta.ts'
import { requireFinished, requireReadable } from '#store/open-store.ts'
import { segmentPath } from '#store/segments/past-blocks.ts'
import { segmentName } from '#store/segments/segment-layout.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { BackupContent } from './manifest.ts'

/** Enough for a few values. */
const CACHE_BYTES = 1024 * 1024
/** Files that LevelDB creates whenever it opens a database, and never needs. */
const NEEDLESS = ['LOCK', 'LOG', 'LOG.old']

export async function inspectCopy(path: string): Promise<BackupContent> {
  const kv = await openLevelKv(path, { createIfMissing: false, cacheBytes: CACHE_BYTES })
  try {
    const { format } = requireReadable(META.identity.read(kv))
    requireFinished(kv)
    const genesis = META.genesisHash.read(kv)
    const head = META.head.read(kv)
    if (genesis === undefined || head === undefined) {
      const sentence = 'The database holds no chain yet. Start the node or import a chain first.'
      throw storeFault('STORE_MISSING', { sentence })
    }
    if (kv.get(blockKey(TABLE.header, head.number, head.hash)) === undefined) {
      const sentence = `The database lacks its last block, ${head.number}. It is damaged; run \`cairn db check\`.`
      throw storeFault('STORE_CORRUPT', { sentence })
    }
    requireSegments(path, META.moved.read(kv))
    return {
      genesisHash: hashFromBytes(genesis),
      head: { number: head.number, hash: hashFromBytes(head.hash) },
      stateRoot: hashFromBytes(readTrieMark(kv).root),
      storageFormat: format,
    }
  } finally {
    await kv.close()
    for (const name of NEEDLESS) rmSync(join(path, name), { force: true })
  }
}

function requireSegments(path: string, mark: MovedMark | undefined): void {
  if (mark === undefined) return
  for (let first = 0; first < mark.end; first += mark.segmentBlocks) {
    if (existsSync(segmentPath(join(path, SEGMENT_FOLDER), first))) continue
    const sentence = `The database lacks its segment of block ${first}. Copy ${segmentName(first)} from a backup or another node into ${SEGMENT_FOLDER}.`
    throw storeFault('SEGMENT_DAMAGED', { sentence })
  }
}
