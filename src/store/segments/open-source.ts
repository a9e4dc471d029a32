import { closeSync, fstatSync, openSync } from 'node:fs'
import { readAt } from '#platform/files/files.ts'
import type { SegmentSource } from './segment.ts'
import { damagedSegment } from './segment-layout.ts'

/** Opens a segment, an outline or an index of hashes for reading; a missing one is damaged. */
export function openSource(path: string): SegmentSource {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    // The message of the error has the folder, which clients do not see.
    throw damagedSegment(path)(`it cannot be opened (${(error as NodeJS.ErrnoException).code})`)
  }
  return {
    name: path,
    bytes: fstatSync(fd).size,
    read: (offset, length) => readAt(fd, length, offset),
    close: () => closeSync(fd),
  }
}
