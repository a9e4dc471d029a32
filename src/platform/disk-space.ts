import { statfsSync } from 'node:fs'

/** Free space that this user may still use on the disk of a path, in bytes. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
