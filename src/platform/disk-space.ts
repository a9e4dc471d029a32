import { statfsSync } from 'node:fs'

/** Free bytes that this user may still use on the path's disk. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
