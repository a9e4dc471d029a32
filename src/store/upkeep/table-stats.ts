/** Sizes of all tables, read completely with little memory. The database must not be open in a node. */
import { TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { requireReadable } from '#store/open-store.ts'
import { liveTables } from '#store/tables/live-tables.ts'

export interface TableStats {
  readonly table: keyof typeof TABLE
  rows: number
  /** Keys and values, before LevelDB packs them. */
  bytes: number
}

export interface DatabaseStats {
  readonly tables: readonly TableStats[]
  /** Size of the files. */
  readonly fileBytes: number
}

const CACHE_BYTES = 8 * 1024 * 1024

export async function databaseStats(path: string, onRows: (rows: number) => void): Promise<DatabaseStats> {
  const kv = await openLevelKv(path, { createIfMissing: false, cacheBytes: CACHE_BYTES })
  try {
    requireReadable(META.identity.read(kv))
    const tables = await tableStats(kv, onRows)
    return { tables, fileBytes: databaseFileBytes(path) }
  } finally {
    await kv.close()
  }
}

export async function tableStats(kv: Kv, onRows: (rows: number) => void): Promise<readonly TableStats[]> {
  let total = 0
  const tables: TableStats[] = []
  for (const table of TABLE_NAMES) {
    const stats = { table, rows: 0, bytes: 0 }
    tables.push(stats)
    for await (const [key, value] of kv.range(rangeOf(table))) {
      stats.rows++
      stats.bytes += key.length + value.length
      onRows(++total)
    }
  }
  return tables
}

export const TABLE_NAMES = Object.keys(TABLE) as readonly (keyof typeof TABLE)[]

export function rangeOf(table: keyof typeof TABLE): Parameters<Kv['range']>[0] {
  const byte = TABLE[table]
  return { gte: Uint8Array.of(byte), lt: Uint8Array.of(byte + 1), limit: Number.POSITIVE_INFINITY }
}

/** Size of the live tables; logs are small in comparison. */
export function databaseFileBytes(path: string): number {
  return liveTables(path).reduce((sum, { bytes }) => sum + bytes, 0)
}
