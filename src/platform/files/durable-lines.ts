/**
 * A file that only grows, and that others may move away between two writes: it is opened for each of them. What is
 * appended is on the disk before the promise resolves.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile, writeAll } from './append-file.ts'
import { withFileFaultLater } from './file-faults.ts'
import { syncDirectory } from './sync-directory.ts'

const NEW_LINE = 0x0a
const CHUNK_BYTES = 64 * 1024

/** Made when it is missing, for its owner alone. Nothing to append: only made. */
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

/** The last bytes of a file, at most so many; undefined: there is no file. `isWhole`: there are no others before them. */
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

/** A line without its end. */
export interface RawLine {
  readonly bytes: Uint8Array
  /** False of what stands behind the last line end. */
  readonly isEnded: boolean
}

/** The lines of a file of any length. Of one that is longer than `maxLineBytes`, its beginning of that length. */
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

/** `position` null: where the last read ended. */
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
