/** The sync progress in shared memory: the peers thread writes it, and every thread can read it. */

export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** A node that lacks this few blocks is in sync, since they arrive one by one. */
export const NEAR_BLOCKS = 2

const STARTING = 0
/** 0 if no peer is ahead. */
const HIGHEST = 1

export class SharedProgress {
  /** Passed to other threads, which wrap it in their own object. */
  readonly memory: SharedArrayBuffer
  readonly #cells: BigInt64Array

  constructor(memory = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#cells = new BigInt64Array(memory)
  }

  /** Undefined if no peer is ahead. */
  write(progress: SyncProgress | undefined): void {
    if (progress !== undefined) Atomics.store(this.#cells, STARTING, BigInt(progress.startingBlock))
    Atomics.store(this.#cells, HIGHEST, BigInt(progress?.highestBlock ?? 0))
  }

  /** `currentBlock` is the head that the reader knows. Returns undefined if no peer is ahead. */
  read(currentBlock: number): SyncProgress | undefined {
    const highestBlock = Number(Atomics.load(this.#cells, HIGHEST))
    if (highestBlock <= currentBlock) return undefined
    return { startingBlock: Number(Atomics.load(this.#cells, STARTING)), currentBlock, highestBlock }
  }
}
