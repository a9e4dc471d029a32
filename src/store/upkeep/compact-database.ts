/**
 * Makes a database smaller. LevelDB writes tables anew, then names them in its manifest, and only then removes the old ones:
 * that is the swap, and whoever ends the program at any moment finds all of it. Table by table, so that little more disk is needed
 * than the largest of them, and a command that was ended has done something.
 */

import { requireFreeBytes } from '#store/free-bytes.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { readIdentity } from '#store/meta.ts'
import { requireReadable } from '#store/open-store.ts'
import { databaseFileBytes, rangeOf, TABLE_NAMES } from './table-stats.ts'

export interface Compacted {
  readonly beforeBytes: number
  readonly afterBytes: number
  /** False: it was told to stop. */
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
    requireReadable(readIdentity(kv))
    // The worst case: one table is nearly everything. A full disk in the midst would do no harm, but would stop others on it.
    requireFreeBytes(
      path,
      beforeBytes,
      (left, needed) =>
        `There is too little room at ${path} to write its tables anew: ${left} MiB are left, and up to ${needed} are needed for a while. Make room, or prune first (cairn db prune); nothing was changed.`,
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
