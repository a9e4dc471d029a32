/**
 * Keeps the database from meeting a full disk. LevelDB takes one failed write as its last: whatever follows fails as well
 * until it is opened anew. So room is asked for before a block is written, and a block that is refused here may be written
 * later.
 */
import { type Clock, systemClock } from '#platform/clock.ts'
import { freeBytes } from '#platform/disk-space.ts'
import { storeFault } from './faults.ts'

/** For logs, manifests and the merging of tables that goes on beside writes. */
const ALWAYS_LEFT_BYTES = 16 * 1024 * 1024
/** What is collected in memory is written once as a table, and once more when tables are merged. */
const TIMES_WRITTEN = 2
const MEGABYTE = 1024 * 1024
/**
 * To ask the system takes as long as to execute some transactions. Where there is this much more than is needed, the
 * answer holds for a second: few fill a disk faster, and whoever does is met by the database itself (noteFull).
 */
const AMPLE_BYTES = 4 * 1024 * MEGABYTE
const LOOK_HOLDS_MS = 1_000

export class DiskReserve {
  readonly #path: string
  readonly #bufferBytes: number
  readonly #free: typeof freeBytes
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #seenFreeBytes = 0
  #seenMs = Number.NEGATIVE_INFINITY
  #collectedBytes = 0
  #wasFull = false

  /** `bufferBytes`: what is collected in memory before a table is written. */
  constructor(
    path: string,
    bufferBytes: number,
    free = freeBytes,
    clock: Pick<Clock, 'monotonicMs'> = systemClock,
  ) {
    this.#path = path
    this.#free = free
    this.#clock = clock
    this.#bufferBytes = bufferBytes
  }

  /** Throws where the write might not find room. */
  require(bytes: number): void {
    const needed = ALWAYS_LEFT_BYTES + TIMES_WRITTEN * (this.#collectedBytes + bytes)
    const free = this.#look(needed)
    if (free < needed) {
      const sentence = `The disk is full: ${mebibytes(free)} MiB are left at ${this.#path}, and the database needs ${mebibytes(needed)} to write on. The last block is intact. Make room; the node tries again by itself.`
      throw storeFault('DISK_FULL', { sentence, path: this.#path })
    }
    if (!this.#wasFull) return
    const sentence = `The disk was full while the database ${this.#path} was written. There is room again, and the last block is intact; start the node again.`
    throw storeFault('STORE_FAILED', { sentence, path: this.#path })
  }

  noteWritten(bytes: number): void {
    this.#seenFreeBytes -= TIMES_WRITTEN * bytes
    this.#collectedBytes = (this.#collectedBytes + bytes) % this.#bufferBytes
  }

  #look(needed: number): number {
    const now = this.#clock.monotonicMs()
    if (this.#seenFreeBytes >= needed + AMPLE_BYTES && now - this.#seenMs < LOOK_HOLDS_MS) {
      return this.#seenFreeBytes
    }
    this.#seenMs = now
    this.#seenFreeBytes = this.#free(this.#path)
    return this.#seenFreeBytes
  }

  /** The database itself met the end of the disk, and writes no more. */
  noteFull(): void {
    this.#wasFull = true
  }
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / MEGABYTE)
}
