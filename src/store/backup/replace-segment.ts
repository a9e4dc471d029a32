import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { withFileFault } from '#platform/files/file-faults.ts'
import { ensureDirectory, syncDirectory } from '#platform/files/files.ts'
import { copyFile, openPieces } from './copy-file.ts'
import { requireRoom } from './manifest.ts'

/** The mover removes files with its own suffix while it runs. */
const COPY_SUFFIX = '.copy'

/** Copies a segment, lets `verify` read the copy, and replaces the file in one step. Throws the fault of `verify`. */
export async function replaceSegment(
  path: string,
  from: string,
  signal: AbortSignal,
  verify: (copy: string) => Promise<void>,
): Promise<void> {
  const copy = `${path}${COPY_SUFFIX}`
  ensureDirectory(dirname(path))
  rmSync(copy, { force: true })
  const source = openPieces(from)
  try {
    requireRoom(dirname(path), source.bytes)
    await copyFile(copy, source, signal, () => {})
    await verify(copy)
    withFileFault('write', path, () => renameSync(copy, path))
  } finally {
    source.close()
    rmSync(copy, { force: true })
  }
  syncDirectory(dirname(path))
}
