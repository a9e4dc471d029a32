import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { platformFault } from '#platform/faults.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { notRegularFault, tooLargeFault, withFileFault } from './file-faults.ts'

/*
 * Small files such as keys, configuration and permissions. The functions are synchronous, because start-up and commands
 * use them one at a time. The chain's database is in store/.
 */

const READ_CHUNK_BYTES = 64 * 1024
const DEFAULT_FILE_MODE = 0o644
const TEMPORARY_NAME_RANDOM_BYTES = 8
/** Permissions of keys and other files that only the node may read. */
export const OWNER_ONLY = 0o600
const PERMISSION_BITS = 0o7777

export interface WriteOptions {
  /** Exact permission bits; the umask does not apply. */
  readonly mode?: number
}

/** Reads a complete file of at most `maxBytes`. A larger one is a Fault, even if it reports a smaller size. */
export function readFileBounded(path: string, maxBytes: number): Uint8Array {
  return withFileFault('read', path, () => {
    const fd = openSync(path, 'r')
    try {
      const stat = fstatSync(fd)
      if (stat.isFile() && stat.size > maxBytes) throw tooLargeFault(path, maxBytes, stat.size)
      return readToEnd(fd, path, maxBytes)
    } finally {
      closeSync(fd)
    }
  })
}

/** Undefined if the file does not exist. */
export function readTextIfPresent(path: string, maxBytes: number): string | undefined {
  try {
    return readTextBounded(path, maxBytes)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

export function readTextBounded(path: string, maxBytes: number): string {
  return decodeText(path, readFileBounded(path, maxBytes))
}

/** The fault names the file at `path`. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const sentence = `The file ${path} is not UTF-8 text. Save it as UTF-8 and try again.`
    throw platformFault('FILE_NOT_TEXT', { sentence, path }, { cause })
  }
}

/**
 * Replaces the file atomically: a reader, or the next start after a power cut, sees the old content or the new one. Keeps
 * the permission bits of this user's file unless `mode` is given. Refuses a symbolic link: in a shared directory another
 * user may have created it to choose which file is replaced.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, options?: WriteOptions): void {
  withFileFault('write', path, () => {
    const replaced = replacedMode(path)
    const mode = options?.mode ?? replaced ?? DEFAULT_FILE_MODE
    const temporary = temporaryNameFor(path)
    try {
      writeSynced(temporary, content, mode)
      renameSync(temporary, path)
    } catch (error) {
      unlinkQuietly(temporary)
      throw error
    }
    syncDirectory(dirname(path))
  })
}

/** Creates the file and fails if it exists. Removes a half-written file again. */
export function writeFileNew(path: string, content: string | Uint8Array, options?: WriteOptions): void {
  withFileFault('create', path, () => {
    writeSynced(path, content, options?.mode ?? DEFAULT_FILE_MODE)
    syncDirectory(dirname(path))
  })
}

/** Creates the directory and its missing parents, and syncs them to disk. */
export function ensureDirectory(path: string, options?: WriteOptions): void {
  withFileFault('create', path, () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory()) throw notDirectoryFault(path)
    const highest = mkdirSync(path, { recursive: true, ...options })
    if (highest === undefined) return
    const last = dirname(resolve(highest))
    for (let parent = dirname(resolve(path)); ; parent = dirname(parent)) {
      syncDirectory(parent)
      if (parent === last) return
    }
  })
}

/** The total size of the files in a directory, in bytes. Files removed meanwhile do not count. */
export async function directoryBytes(path: string): Promise<number> {
  let total = 0
  for (const name of await readdir(path)) {
    total += await stat(join(path, name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return total
}

export function isEmptyDirectory(path: string): boolean {
  return withFileFault('read', path, () => readdirSync(path).length === 0)
}

export function namesInDirectory(path: string): readonly string[] {
  return withFileFault('read', path, () => readdirSync(path))
}

export function isMissingOrEmpty(path: string): boolean {
  const existing = kindOfPath(path)
  return existing === undefined || (existing === 'directory' && isEmptyDirectory(path))
}

export function withoutLinks(path: string): string {
  return withFileFault('read', path, () => realpathSync(path))
}

/** The kind of file at `path`, with links followed; undefined if it does not exist. */
export function kindOfPath(path: string): 'file' | 'directory' | 'other' | undefined {
  return withFileFault('read', path, () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (stat.isFile()) return 'file'
    return stat.isDirectory() ? 'directory' : 'other'
  })
}

/** Changes with the content of a file; undefined if there is no file. */
export function fileStamp(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join()
}

function notDirectoryFault(path: string) {
  const sentence = `${path} is not a directory. Name a directory, or move that file away.`
  return platformFault('FILE_NOT_DIRECTORY', { sentence, path })
}

/** Reads from a position; returns fewer bytes only at the end of the file. */
export function readAt(fd: number, length: number, position: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let count = 0
  while (count < length) {
    const more = readSync(fd, bytes, count, length - count, position + count)
    if (more === 0) break
    count += more
  }
  return bytes.subarray(0, count)
}

/** Reads until the end instead of to the reported size, because pipes and files under /proc report none. */
function readToEnd(fd: number, path: string, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const chunk = new Uint8Array(Math.min(READ_CHUNK_BYTES, maxBytes - total + 1))
    const count = readSync(fd, chunk)
    if (count === 0) return concatBytes(...chunks)
    total += count
    if (total > maxBytes) throw tooLargeFault(path, maxBytes)
    chunks.push(chunk.subarray(0, count))
  }
}

function writeSynced(path: string, content: string | Uint8Array, mode: number): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  // Created with the final mode or less, so a key is never readable by others.
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    fchmodSync(fd, mode)
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset)
    fsyncSync(fd)
  } catch (error) {
    unlinkQuietly(path)
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Makes the directory's entries durable. Windows has no such call and needs none. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Permission bits of this user's regular file at `path`, if there is one. */
function replacedMode(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile() && !stat.isDirectory()) throw notRegularFault(path)
  return isOwn(stat) ? stat.mode & PERMISSION_BITS : undefined
}

/** An unpredictable name in the same directory. */
export function temporaryNameFor(path: string): string {
  const suffix = Buffer.from(systemRandom.randomBytes(TEMPORARY_NAME_RANDOM_BYTES)).toString('hex')
  return join(dirname(path), `.${basename(path)}.${suffix}.tmp`)
}

/** Windows has no owners of this kind. */
export function isOwn({ uid }: { readonly uid: number }): boolean {
  return process.geteuid === undefined || uid === process.geteuid()
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The file is already gone, or the first failure also prevents its removal. The first failure is reported.
  }
}
