/** Copies backup files in pieces and computes their checksums. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { withFileFault } from '#platform/files/file-faults.ts'
import { OWNER_ONLY } from '#platform/files/files.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { storeFault } from '#store/faults.ts'
import { Fault } from '#types/fault.ts'

export interface Progress {
  readonly doneBytes: number
  readonly totalBytes: number
}

export interface CopyOptions {
  /** Once aborted, the work ends with a Fault, and its output is removed. */
  readonly signal: AbortSignal
  readonly onProgress: (stage: 'copied' | 'checked', progress: Progress) => void
}

/** Sums up the progress of a stage. */
export function countBytes(
  stage: 'copied' | 'checked',
  totalBytes: number,
  onProgress: CopyOptions['onProgress'],
): (bytes: number) => void {
  let doneBytes = 0
  return (bytes) => {
    doneBytes += bytes
    onProgress(stage, { doneBytes, totalBytes })
  }
}

/** A file that is read in pieces. */
export interface Pieces {
  readonly name: string
  readonly bytes: number
  /** Reads from `offset`; returns 0 only at the end. */
  read(into: Uint8Array, offset: number): number
}

const PIECE_BYTES = 1024 * 1024
const TAIL_BYTES = 64 * 1024
const NEW_LINE = 0x0a

/** Reads all bytes in pieces; `onPiece` must not keep them. */
async function readPieces(
  { name, bytes, read }: Pieces,
  signal: AbortSignal,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(PIECE_BYTES)
  for (let offset = 0; offset < bytes; ) {
    if (signal.aborted) throw new Fault('INTERRUPTED', { sentence: 'Interrupted; give the command again.' })
    const wanted = buffer.subarray(0, Math.min(buffer.length, bytes - offset))
    const count = withFileFault('read', name, () => read(wanted, offset))
    if (count === 0) throw storeFault('STORE_FAILED', { sentence: `${name} ended while it was read.` })
    onPiece(buffer.subarray(0, count))
    offset += count
    await nextTurn()
  }
}

/** Writes a new file, durable when this resolves, and returns its SHA-256. */
export async function copyFile(
  path: string,
  source: Pieces,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  const fd = withFileFault('write', path, () => openSync(path, 'wx', OWNER_ONLY))
  try {
    await readPieces(source, signal, (piece) => {
      hash.update(piece)
      withFileFault('write', path, () => {
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at)
      })
      onBytes(piece.length)
    })
    withFileFault('write', path, () => fsyncSync(fd))
  } finally {
    closeSync(fd)
  }
  return hash.digest('hex')
}

/** Returns the SHA-256 of a file. */
export async function digestPieces(
  source: Pieces,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  await readPieces(source, signal, (piece) => {
    hash.update(piece)
    onBytes(piece.length)
  })
  return hash.digest('hex')
}

export async function digestOf(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const source = openPieces(path)
  try {
    return { bytes: source.bytes, sha256: await digestPieces(source, signal, onBytes) }
  } finally {
    source.close()
  }
}

/** Opens the complete lines of a growing file. */
export function openLines(path: string): ReturnType<typeof openPieces> {
  const pieces = openPieces(path)
  const buffer = new Uint8Array(TAIL_BYTES)
  for (let end = pieces.bytes; end > 0; ) {
    const start = Math.max(0, end - buffer.length)
    const count = withFileFault('read', path, () => pieces.read(buffer.subarray(0, end - start), start))
    const lineEnd = buffer.subarray(0, count).lastIndexOf(NEW_LINE)
    if (lineEnd !== -1) return { ...pieces, bytes: start + lineEnd + 1 }
    end = start
  }
  return { ...pieces, bytes: 0 }
}

/** Opens a file that is never written, or only appended to; later bytes are not read. */
export function openPieces(path: string): Pieces & { close(): void } {
  const fd = withFileFault('read', path, () => openSync(path, 'r'))
  return {
    name: path,
    bytes: fstatSync(fd).size,
    read: (into, offset) => readSync(fd, into, 0, into.length, offset),
    close: () => closeSync(fd),
  }
}
