/** The database of a stopped node; a running node holds its lock. */
import type { Settings } from '#config/settings.ts'
import { databaseOf } from '#node/ledger.ts'
import { type Compacted, compactDatabase } from '#store/upkeep/compact-database.ts'
import { type DatabaseStats, databaseStats } from '#store/upkeep/table-stats.ts'

export function statsOfNode(settings: Settings, onRows: (rows: number) => void): Promise<DatabaseStats> {
  return databaseStats(databaseOf(settings).path, onRows)
}

export function compactNode(
  settings: Settings,
  run: { readonly signal: AbortSignal; readonly onTable: (done: number, of: number) => void },
): Promise<Compacted> {
  return compactDatabase(databaseOf(settings).path, run)
}
