/**
 * Keeps the database from meeting a full disk. LevelDB takes one failed write as its last: whatever follows fails as well
 * until it is opened anew. So room is asked for before a block is written, and a block that is refused here may be written
 * later.
 */
import { freeBytes } from '#platform/disk-space.ts'
import { storeFault } from './faults.ts'

/** For logs, manifests and the merging of tables that goes on beside writes. */
const ALWAYS_LEFT_BYTES = 16 * 1024 * 1024
/** What is collected in memory is written once as a table, and once more when tables are merged. */
const TIMES_WRITTEN = 2
const MEGABYTE = 1024 * 1024

export class DiskReserve {
  readonly #path: string
  readonly #bufferBytes: number
  readonly #free: typeof freeBytes
  #collectedBytes = 0
  #wasFull = false

  /** `bufferBytes`: what is collected in memory before a table is written. */
  constructor(path: string, bufferBytes: number, free = freeBytes) {
    this.#path = path
    this.#free = free
    this.#bufferBytes = bufferBytes
  }

  /** Throws where the write might not find room. */
  require(bytes: number): void {
    const needed = ALWAYS_LEFT_BYTES + TIMES_WRITTEN * (this.#collectedBytes + bytes)
    const free = this.#free(this.#path)
    if (free < needed) {
      const sentence = `The disk is full: ${mebibytes(free)} MiB are left at ${this.#path}, and the database needs ${mebibytes(needed)} to write on. The last block is intact. Make room; the node tries again by itself.`
      throw storeFault('DISK_FULL', { sentence, path: this.#path })
    }
    if (!this.#wasFull) return
    const sentence = `The disk was full while the database ${this.#path} was written. There is room again, and the last block is intact; start the node again.`
    throw storeFault('STORE_FAILED', { sentence, path: this.#path })
  }

  noteWritten(bytes: number): void {
    this.#collectedBytes = (this.#collectedBytes + bytes) % this.#bufferBytes
  }

  /** The database itself met the end of the disk, and writes no more. */
  noteFull(): void {
    this.#wasFull = true
  }
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / MEGABYTE)
}
