/** State files, as `state export` writes and `state import` reads them. */
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SnapshotSource } from '#chain/snapshot/chunks.ts'
import { fileFault } from '#platform/files/file-faults.ts'
import { readAt, syncDirectory } from '#platform/files/files.ts'
import { openToRead } from './read-text.ts'

export interface OpenSource extends SnapshotSource {
  close(): void
}

export function openSnapshotFile(path: string): OpenSource {
  const fd = openToRead(path)
  const { size } = fstatSync(fd)
  return {
    name: path,
    bytes: size,
    read(offset, length) {
      try {
        return readAt(fd, Math.max(0, Math.min(length, size - offset)), offset)
      } catch (error) {
        throw fileFault('read', path, error)
      }
    },
    close: () => closeSync(fd),
  }
}

/** Writes a file that gets its name only when it is completely on disk. */
export async function writeSnapshotFile<Value>(
  path: string,
  fill: (write: (bytes: Uint8Array) => void) => Promise<Value>,
): Promise<Value> {
  const part = `${path}.part`
  let fd: number | undefined
  try {
    const value = await fill((bytes) => {
      try {
        // Opened with the first bytes, so a mistake does not leave an empty file.
        fd ??= openSync(part, 'wx')
        for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset)
      } catch (error) {
        throw fileFault('write', part, error)
      }
    })
    if (fd !== undefined) {
      fsyncSync(fd)
      closeSync(fd)
      fd = undefined
      renameSync(part, path)
      syncDirectory(dirname(path))
    }
    return value
  } catch (error) {
    if (fd !== undefined) {
      closeSync(fd)
      rmSync(part, { force: true })
    }
    throw error
  }
}
