import { statfsSync } from 'node:fs'

/** What this user may still write there, in bytes. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
