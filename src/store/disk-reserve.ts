/**
 * Keeps the database from meeting a full disk. After one failed write, LevelDB fails every other until it is
 * reopened. Room is therefore required before a block is written, and a refused block may be written later.
 */
import { type Clock, systemClock } from '#platform/clock.ts'
import { freeBytes } from '#platform/disk-space.ts'
import { storeFault } from './faults.ts'

/** For logs, manifests and concurrent compactions. */
const ALWAYS_LEFT_BYTES = 16 * 1024 * 1024
/** Buffered bytes are written once as a table, and again when tables are compacted. */
const TIMES_WRITTEN = 2
const MEGABYTE = 1024 * 1024
/** Bytes that the database buffers before it writes a table. */
export const WRITE_BUFFER_BYTES = 64 * MEGABYTE
/**
 * Asking the system takes as long as executing some transactions. With this much spare room the answer is valid for a
 * second; if the disk fills faster, the database notices (noteFull).
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

  /** `bufferBytes` is the write buffer of the database. */
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

  /** Throws if the write might not find room. */
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

  /** Called when the database itself met a full disk; it writes no more. */
  noteFull(): void {
    this.#wasFull = true
  }
}

/**
 * The pause between pieces of a long file, which throws before the file takes the room that the next block needs. The writer
 * may have filled its buffer, which other threads do not see.
 */
export function leavingRoom<Rest>(kv: { requireRoom(bytes: number): void }, pause: () => Rest): () => Rest {
  return () => {
    kv.requireRoom(WRITE_BUFFER_BYTES)
    return pause()
  }
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / MEGABYTE)
}
