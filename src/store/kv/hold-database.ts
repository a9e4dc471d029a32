/**
 * Holds the database for the thread that owns its writer: opened before all other threads, closed after them, and
 * locked against a second owner in this process. LevelDB's lock excludes other processes only; without this lock, two
 * writers of one process would share a database unknowingly.
 */
import { ensureDirectory } from '#platform/files/files.ts'
import { takeProcessLock } from '#platform/process-lock.ts'
import { identityOf, listenForDamage } from '#store/damage.ts'
import { storeFault } from '#store/faults.ts'
import { refuseUnfinishedRestore, requireOwnDirectory } from '#store/inspect-directory.ts'
import {
  newestWithin,
  tablesToVerify,
  verifyTables,
  verifyTablesBeside,
} from '#store/tables/verify-tables.ts'
import { openLevelKv } from './kv.ts'

export interface HeldDatabase {
  /** Resolves when any thread of this process finds it damaged. */
  readonly damaged: Promise<Error>
  close(): Promise<void>
}

/**
 * Creates a missing database. Its newest tables, up to `firstBytes`, are verified before it opens, the others while
 * it is used; damage to them is reported as usual.
 */
export async function holdDatabase(
  path: string,
  firstBytes = Number.POSITIVE_INFINITY,
): Promise<HeldDatabase> {
  refuseUnfinishedRestore(path)
  ensureDirectory(path)
  const identity = identityOf(path)
  const release = await takeProcessLock(`cairn database ${identity}`)
  if (release === undefined) {
    const sentence = `The database ${path} is in use by another node of this process. Stop that node first, or use another --data-path (dataPath).`
    throw storeFault('STORE_IN_USE', { sentence, path })
  }
  const damage = listenForDamage(identity)
  const letGo = () => {
    damage.close()
    release()
  }
  try {
    requireOwnDirectory(path)
    const tables = tablesToVerify(path)
    const first = newestWithin(firstBytes, tables)
    await verifyTables(path, first)
    const kv = await openLevelKv(path, { createIfMissing: true })
    const closing = new AbortController()
    const verified = verifyTablesBeside(path, tables.slice(first.length), closing.signal).catch(() => {
      // Damage was already reported. Other read errors will also meet LevelDB, which reports them.
    })
    return {
      damaged: damage.told.then((sentence) => storeFault('STORE_CORRUPT', { sentence, path })),
      close: async () => {
        closing.abort()
        await verified
        await kv.close().finally(letGo)
      },
    }
  } catch (error) {
    letGo()
    throw error
  }
}
