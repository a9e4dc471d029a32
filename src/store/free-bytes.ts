import { freeBytes } from '#platform/disk-space.ts'
import { storeFault } from './faults.ts'

/** Left for other programs that write to the disk, such as a node. */
const SPARE_BYTES = 64 * 1024 * 1024
const MIB = 1024 * 1024

/** Checked before anything is written, because a full disk stops every program on it. `explain` receives MiB. */
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
