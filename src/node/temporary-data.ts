/** Where a node keeps its chain that was given no place for it. What a killed program left behind the next one removes. */
import { join } from 'node:path'
import {
  createTemporaryDirectory,
  removeAbandoned,
  type TemporaryDirectory,
} from '#platform/files/temporary-directory.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { DATABASE_FOLDER } from './ledger.ts'

const PREFIX = 'cairn-data-'

export async function createTemporaryData(): Promise<TemporaryDirectory> {
  await removeAbandoned(PREFIX, isFree)
  return createTemporaryDirectory(PREFIX)
}

/** Whether nobody has the database open: its lock holds between processes, those of other containers included. */
async function isFree(path: string): Promise<boolean> {
  try {
    const kv = await openLevelKv(join(path, DATABASE_FOLDER), { createIfMissing: false })
    await kv.close()
    return true
  } catch (error) {
    return (error as { readonly kind?: string }).kind === 'STORE_MISSING'
  }
}
