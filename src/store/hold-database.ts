/**
 * The database as the owner of its writer has it: opened before every other thread opens it, closed after them, and
 * nobody else's meanwhile. The engine's own lock keeps other processes out; within this one it lets everybody share,
 * so that two writers would work on one database without knowing of each other.
 */
import { statSync } from 'node:fs'
import { ensureDirectory } from '#platform/files.ts'
import { takeProcessLock } from '#platform/process-lock.ts'
import { storeFault } from './faults.ts'
import { openLevelKv } from './kv.ts'

export interface HeldDatabase {
  close(): Promise<void>
}

/** Makes the database where there is none. */
export async function holdDatabase(path: string): Promise<HeldDatabase> {
  ensureDirectory(path)
  // The directory itself, and not its name, of which it may have several: links, mounts, relative paths, cases.
  const { dev, ino } = statSync(path, { bigint: true })
  const release = await takeProcessLock(`cairn database ${dev}:${ino}`)
  if (release === undefined) {
    const sentence = `The database ${path} is in use by another node of this process. Stop that node first, or give this one another --data-path (dataPath).`
    throw storeFault('STORE_IN_USE', { sentence, path })
  }
  try {
    const kv = await openLevelKv(path, { createIfMissing: true })
    return {
      close: async () => {
        try {
          await kv.close()
        } finally {
          release()
        }
      },
    }
  } catch (error) {
    release()
    throw error
  }
}
