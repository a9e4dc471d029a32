/**
 * Holds the database for the thread that owns its writer: opened before every other thread opens it, closed after them,
 * and locked against a second owner in this process. LevelDB's own lock keeps other processes out; within this one it lets everybody share,
 * so that two writers would work on one database without knowing of each other.
 */
import { ensureDirectory } from '#platform/files/files.ts'
import { takeProcessLock } from '#platform/process-lock.ts'
import { hearDamage, identityOf } from '#store/damage.ts'
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
 * Makes the database where there is none. Of its tables the newest, up to `firstBytes`, are verified before it opens; the
 * others while it is used, and damage to one of them is told as any damage is.
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
    const sentence = `The database ${path} is in use by another node of this process. Stop that node first, or give this one another --data-path (dataPath).`
    throw storeFault('STORE_IN_USE', { sentence, path })
  }
  const damage = hearDamage(identity)
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
      // Damage was told when it was found. What cannot be read now, LevelDB cannot read either, and says so.
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
