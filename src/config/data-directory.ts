/** A node's data directory, and the folders in it that several rooms use. */
import { join } from 'node:path'
import { path } from './kinds.ts'
import { defineOptions } from './option.ts'
import type { Settings } from './settings.ts'

export const dataOptions = defineOptions('Node', {
  dataPath: {
    flag: '--data-path',
    kind: path,
    label: 'DIRECTORY',
    default: 'cairn-data',
    help: 'Data directory of the node; created if missing.',
  },
})

const DATABASE_FOLDER = 'database'
/** Exists in the data directory while a backup is restored. Until it is gone, there is no valid chain. */
export const RESTORING_FOLDER = 'restoring'

export function databaseIn(dataPath: string): string {
  return join(dataPath, DATABASE_FOLDER)
}

export function databasePathOf(settings: Settings): string {
  return databaseIn(settings.get(dataOptions.dataPath))
}
