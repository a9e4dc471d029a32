/**
 * A file that only grows and that log rotation may move away between two writes, so each write opens it. Appended bytes
 * are on disk before the promise resolves.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile, syncDirectory, writeAll } from './append-file.ts'
import { withFileFaultLater } from './file-faults.ts'

const NEW_LINE = 0x0a
const CHUNK_BYTES = 64 * 1024

/** Creates the file, readable by its owner only, if it is missing, even if there is nothing to append. */
export async function appendDurably(path: string, bytes: Uint8Array): Promise<void> {
  await withFileFaultLater('write', path, async () => {
    const handle = await openOwnFile(path, constants.O_WRONLY | constants.O_APPEND)
    try {
      const isNew = (await handle.stat()).size === 0
      await writeAll(handle, bytes, null)
      await handle.datasync()
      if (isNew) await syncDirectory(dirname(path))
    } finally {
      await handle.close()
    }
  })
}

/** The last bytes of a file; undefined if it does not exist. `isWhole` is true if these are all of its bytes. */
export async function readTail(
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean } | undefined> {
  return await withFileFaultLater('read', path, async () => {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (handle === undefined) return undefined
    try {
      const { size } = await handle.stat()
      const start = Math.max(0, size - maxBytes)
      return { bytes: await readFrom(handle, start, size - start), isWhole: start === 0 }
    } finally {
      await handle.close()
    }
  })
}

/** A line without its line end. */
export interface RawLine {
  readonly bytes: Uint8Array
  /** False for the text after the last line end. */
  readonly isEnded: boolean
}

/** The lines of a file of any length. A line longer than `maxLineBytes` is cut to that length. */
export async function* readLines(path: string, maxLineBytes: number): AsyncGenerator<RawLine> {
  const handle = await withFileFaultLater('read', path, () => open(path, 'r'))
  try {
    let begun: Uint8Array[] = []
    let length = 0
    const take = (piece: Uint8Array): void => {
      const room = maxLineBytes - length
      if (room > 0 && piece.length > 0) begun.push(piece.slice(0, room))
      length += Math.min(piece.length, Math.max(0, room))
    }
    for (;;) {
      const chunk = await withFileFaultLater('read', path, () => readFrom(handle, null, CHUNK_BYTES))
      if (chunk.length === 0) break
      let start = 0
      for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
        take(chunk.subarray(start, end))
        yield { bytes: Buffer.concat(begun), isEnded: true }
        begun = []
        length = 0
        start = end + 1
      }
      take(chunk.subarray(start))
    }
    if (length > 0) yield { bytes: Buffer.concat(begun), isEnded: false }
  } finally {
    await handle.close()
  }
}

/** Reads up to `maxBytes`. If `position` is null, continues where the last read ended. */
async function readFrom(handle: FileHandle, position: number | null, maxBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(maxBytes)
  let filled = 0
  while (filled < maxBytes) {
    const at = position === null ? null : position + filled
    const { bytesRead } = await handle.read(bytes, filled, maxBytes - filled, at)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
