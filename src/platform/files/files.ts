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
import { notRegularFault, tooLargeFault, withFileFault } from './file-faults.ts'

/*
 * Whole small files: keys, configuration, permissions. Synchronous, since start-up and commands use them
 * one at a time and gain nothing from waiting. Tables of the chain are the business of store/.
 */

const READ_CHUNK_BYTES = 64 * 1024
const DEFAULT_FILE_MODE = 0o644
const TEMPORARY_NAME_RANDOM_BYTES = 8
/** Permissions of keys, and of whatever else is for the node alone. */
export const OWNER_ONLY = 0o600
const PERMISSION_BITS = 0o7777

export interface WriteOptions {
  /** Permission bits, exactly (the umask does not lower them). */
  readonly mode?: number
}

/** The whole file, at most `maxBytes` of it: a larger one is a Fault, whatever its size claims to be. */
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

export function readTextBounded(path: string, maxBytes: number): string {
  return decodeText(path, readFileBounded(path, maxBytes))
}

/** Of the file at `path`, which is named to whoever has to save it anew. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const sentence = `The file ${path} is not UTF-8 text. Save it as UTF-8 and try again.`
    throw platformFault('FILE_NOT_TEXT', { sentence, path }, { cause })
  }
}

/**
 * Replaces the file so that a reader, or the next start after a power cut, sees the old content or the
 * new one, never a part. Keeps the permission bits of a file of this user unless told otherwise. Refuses a
 * symbolic link: in a shared directory another user may have made it, and would choose which file is replaced.
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

/** Creates the file and refuses when it is there already; what it left half-written it removes again. */
export function writeFileNew(path: string, content: string | Uint8Array, options?: WriteOptions): void {
  withFileFault('create', path, () => {
    writeSynced(path, content, options?.mode ?? DEFAULT_FILE_MODE)
    syncDirectory(dirname(path))
  })
}

/** Creates the directory and its parents where they are missing; those it made outlast a power cut. */
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

/** Sum of the sizes of the files in a directory, in bytes; what is removed meanwhile does not count. */
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

/** Nothing is there that a new file could meet. */
export function isMissingOrEmpty(path: string): boolean {
  const existing = kindOfPath(path)
  return existing === undefined || (existing === 'directory' && isEmptyDirectory(path))
}

/** The same file by a path without links. */
export function withoutLinks(path: string): string {
  return withFileFault('read', path, () => realpathSync(path))
}

/** What `path` names, links followed; undefined when there is nothing. */
export function kindOfPath(path: string): 'file' | 'directory' | 'other' | undefined {
  return withFileFault('read', path, () => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (stat.isFile()) return 'file'
    return stat.isDirectory() ? 'directory' : 'other'
  })
}

function notDirectoryFault(path: string) {
  const sentence = `${path} is not a directory. Name a directory, or move that file away.`
  return platformFault('FILE_NOT_DIRECTORY', { sentence, path })
}

/** Reads until the end and not to the stated size: pipes and files under /proc state none. */
function readToEnd(fd: number, path: string, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const chunk = new Uint8Array(Math.min(READ_CHUNK_BYTES, maxBytes - total + 1))
    const count = readSync(fd, chunk)
    if (count === 0) break
    total += count
    if (total > maxBytes) throw tooLargeFault(path, maxBytes)
    chunks.push(chunk.subarray(0, count))
  }
  const whole = new Uint8Array(total)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

function writeSynced(path: string, content: string | Uint8Array, mode: number): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  // Created with the final mode or less: a key is at no moment readable by others.
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

/** Makes the names in it durable. Windows has no such call and needs none. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Permission bits of the regular file of this user that is replaced; undefined if there is none. */
function replacedMode(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (!stat.isFile() && !stat.isDirectory()) throw notRegularFault(path)
  return isOwn(stat) ? stat.mode & PERMISSION_BITS : undefined
}

/** A name in the same directory that no one can guess. */
function temporaryNameFor(path: string): string {
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
    // Already away, or the failure that brought us here also prevents this; that one is reported.
  }
}
