/** Files of a backup from one place to another, piece by piece, with what the pieces add up to. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { freeBytes } from '#platform/disk-space.ts'
import { fileFault } from '#platform/files/file-faults.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { storeFault } from '#store/faults.ts'
import { Fault } from '#types/fault.ts'

export interface Progress {
  readonly doneBytes: number
  readonly totalBytes: number
}

export interface CopyOptions {
  /** Aborted: the work ends with a Fault, and what it made is removed. */
  readonly signal: AbortSignal
  readonly onProgress: (stage: 'copied' | 'checked', progress: Progress) => void
}

export interface Pieces {
  readonly bytes: number
  read(into: Uint8Array, offset: number): number
}

const PIECE_BYTES = 1024 * 1024
/** Left for whoever else writes to the disk, a node among them. */
const SPARE_BYTES = 64 * 1024 * 1024
const OWNER_ONLY = 0o600

/** All bytes, some at a time; `onPiece` may not keep them. */
export async function readPieces(
  name: string,
  { bytes, read }: Pieces,
  signal: AbortSignal,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(PIECE_BYTES)
  for (let offset = 0; offset < bytes; ) {
    if (signal.aborted) throw new Fault('INTERRUPTED', { sentence: 'Interrupted; give the command again.' })
    const count = readOrFault(name, () => read(buffer, offset))
    if (count === 0) throw storeFault('STORE_FAILED', { sentence: `${name} ended while it was read.` })
    onPiece(buffer.subarray(0, count))
    offset += count
    await nextTurn()
  }
}

/** A new file, on the disk when this resolves; returns its SHA-256. */
export async function copyFile(
  path: string,
  source: Pieces & { readonly name: string },
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  const fd = writeOrFault(path, () => openSync(path, 'wx', OWNER_ONLY))
  try {
    await readPieces(source.name, source, signal, (piece) => {
      hash.update(piece)
      writeOrFault(path, () => {
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at)
      })
      onBytes(piece.length)
    })
    writeOrFault(path, () => fsyncSync(fd))
  } finally {
    closeSync(fd)
  }
  return hash.digest('hex')
}

/** The size and SHA-256 of a file. */
export async function digestOf(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  const source = openPieces(path)
  try {
    await readPieces(path, source, signal, (piece) => {
      hash.update(piece)
      onBytes(piece.length)
    })
    return { bytes: source.bytes, sha256: hash.digest('hex') }
  } finally {
    source.close()
  }
}

/** A file that nobody writes. */
export function openPieces(path: string): Pieces & { readonly name: string; close(): void } {
  const fd = readOrFault(path, () => openSync(path, 'r'))
  return {
    name: path,
    bytes: fstatSync(fd).size,
    read: (into, offset) => readSync(fd, into, 0, into.length, offset),
    close: () => closeSync(fd),
  }
}

/** Before anything is written: a disk that is full stops everybody on it. */
export function requireFreeBytes(folder: string, bytes: number): void {
  const free = freeBytes(folder)
  if (free >= bytes + SPARE_BYTES) return
  const [needed, left] = [bytes + SPARE_BYTES, free].map((each) => Math.ceil(each / (1024 * 1024)))
  const sentence = `There is too little room at ${folder}: ${left} MiB are left, and ${needed} are needed. Make room, or choose another place; nothing was written.`
  throw storeFault('DISK_FULL', { sentence, path: folder })
}

function readOrFault<Value>(path: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw fileFault('read', path, error)
  }
}

function writeOrFault<Value>(path: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw fileFault('write', path, error)
  }
}
