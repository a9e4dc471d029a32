import { freeBytes } from '#platform/disk-space.ts'
import { storeFault } from './faults.ts'

/** Left for whoever else writes to the disk, a node among them. */
const SPARE_BYTES = 64 * 1024 * 1024
const MIB = 1024 * 1024

/** Before anything is written: a disk that is full stops everybody on it. `explain` is told MiB. */
export function requireFreeBytes(
  path: string,
  bytes: number,
  explain: (left: number, needed: number) => string,
): void {
  const free = freeBytes(path)
  if (free >= bytes + SPARE_BYTES) return
  const sentence = explain(Math.ceil(free / MIB), Math.ceil((bytes + SPARE_BYTES) / MIB))
  throw storeFault('DISK_FULL', { sentence, path })
}
