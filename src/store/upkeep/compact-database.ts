/**
 * Compacts a database. LevelDB writes new tables, lists them in its manifest and then removes the old ones, so
 * interrupting it at any moment loses nothing. It works table by table, so it needs little more disk than the largest
 * table, and an interrupted command has made progress.
 */

import { requireFreeBytes } from '#store/free-bytes.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { requireReadable } from '#store/open-store.ts'
import { databaseFileBytes, rangeOf, TABLE_NAMES } from './table-stats.ts'

export interface Compacted {
  readonly beforeBytes: number
  readonly afterBytes: number
  /** False if it was told to stop. */
  readonly isComplete: boolean
}

const CACHE_BYTES = 8 * 1024 * 1024

export async function compactDatabase(
  path: string,
  { signal, onTable }: { readonly signal: AbortSignal; readonly onTable: (done: number, of: number) => void },
): Promise<Compacted> {
  const kv = await openLevelKv(path, { createIfMissing: false, cacheBytes: CACHE_BYTES })
  const beforeBytes = databaseFileBytes(path)
  let done = 0
  try {
    requireReadable(META.identity.read(kv))
    // The worst case is one table with nearly everything. A full disk would do no harm here, but would stop other
    // programs on it.
    requireFreeBytes(
      path,
      beforeBytes,
      (left, needed) =>
        `Too little disk space at ${path} to rewrite its tables: ${left} MiB are free, and up to ${needed} MiB are needed temporarily. Free disk space, or prune first (cairn db prune). Nothing was changed.`,
    )
    for (const table of TABLE_NAMES) {
      if (signal.aborted) break
      const { gte, lt } = rangeOf(table)
      await kv.compact(gte, lt)
      onTable(++done, TABLE_NAMES.length)
    }
  } finally {
    await kv.close()
  }
  return { beforeBytes, afterBytes: databaseFileBytes(path), isComplete: done === TABLE_NAMES.length }
}
