/**
 * Shares immutable files with an earlier backup through hard links. A segment is the same if its length and footer are:
 * the footer has a checksum of all other checksums. A table is read and compared by its SHA-256, because a restored
 * database may give the same name to another table. The earlier backup itself is not read again.
 */
import { closeSync, fstatSync, linkSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { kindOfPath, readAt } from '#platform/files/files.ts'
import { FOOTER_BYTES } from '#store/segments/segment-layout.ts'
import { equalBytes } from '#types/bytes.ts'
import { digestPieces, type Pieces } from './copy-file.ts'
import { type BackupFile, DATABASE_FILES, readManifest } from './manifest.ts'

const SEGMENT = /^segments\/\d+\.segment$/
const TABLE = /^\d+\.ldb$/

/** Links the files of a database that the earlier backup has, and returns them by name. */
export async function shareFiles(
  folder: string,
  files: readonly Pieces[],
  base: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BackupFile>> {
  const earlier = new Map(readManifest(base).files.map((file) => [file.name, file]))
  const shared = new Map<string, BackupFile>()
  for (const file of files) {
    const known = earlier.get(`${DATABASE_FILES}/${file.name}`)
    if (known === undefined || known.bytes !== file.bytes) continue
    const path = join(base, known.name)
    if (kindOfPath(path) !== 'file' || !(await isSame(file, path, known, signal))) continue
    if (link(path, join(folder, file.name))) shared.set(file.name, known)
  }
  return shared
}

async function isSame(file: Pieces, path: string, known: BackupFile, signal: AbortSignal): Promise<boolean> {
  if (SEGMENT.test(file.name)) return hasFooterOf(file, path)
  return TABLE.test(file.name) && (await digestPieces(file, signal, () => {})) === known.sha256
}

function hasFooterOf(file: Pieces, path: string): boolean {
  const at = file.bytes - FOOTER_BYTES
  if (at < 0) return false
  const footer = new Uint8Array(FOOTER_BYTES)
  if (file.read(footer, at) !== FOOTER_BYTES) return false
  const fd = openSync(path, 'r')
  try {
    return fstatSync(fd).size === file.bytes && equalBytes(readAt(fd, FOOTER_BYTES, at), footer)
  } finally {
    closeSync(fd)
  }
}

/** Another file system, and some network file systems, have no links; the file is copied then. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch {
    return false
  }
}
