const BEGUN = 0
const DONE = 1

/**
 * Counts the batches of a database in memory that all threads share: while the count is the same, a reader knows
 * without a read that nothing was written.
 */
export class WriteCount {
  /** Passed to other threads, which wrap it in their own object. */
  readonly memory: SharedArrayBuffer
  readonly #cells: Int32Array

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#cells = new Int32Array(memory)
  }

  /** Called before a batch can become visible, and once by the writer before its first. */
  begin(): void {
    Atomics.add(this.#cells, BEGUN, 1)
  }

  /** Called when the batch is visible to every reader. A failed one never ends, since it may be visible later. */
  end(): void {
    Atomics.add(this.#cells, DONE, 1)
  }

  /** Undefined while a batch is being written, or if there is no writer that counts. */
  quiet(): number | undefined {
    // A batch that begins after this read changes the count that is compared with it later.
    const begun = Atomics.load(this.#cells, BEGUN)
    return begun > 0 && Atomics.load(this.#cells, DONE) === begun ? begun : undefined
  }
}
