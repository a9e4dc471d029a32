import { dirname, join } from 'node:path'
import { ensureDirectory, OWNER_ONLY, writeFileNew } from '#platform/files/files.ts'
import type { NewFile } from './new-network.ts'

/** Overwrites nothing; secret files are readable by their owner only. */
export function writeNewFiles(files: readonly NewFile[], directory: string): void {
  for (const { path, content, isSecret } of files) {
    const place = join(directory, path)
    ensureDirectory(dirname(place))
    writeFileNew(place, content, isSecret ? { mode: OWNER_ONLY } : {})
  }
}
