/** Signals cannot fire while an engine computes, so it polls a shared memory cell that the signal sets. */
export class CancelCell {
  readonly memory: Int32Array
  readonly #signal: AbortSignal
  readonly #onAbort = (): void => this.set()

  /** `memory` is that of a released cell that was never set. */
  constructor(signal: AbortSignal, memory: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {
    this.memory = memory
    this.#signal = signal
    if (signal.aborted) this.set()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get isSet(): boolean {
    return Atomics.load(this.memory, 0) !== 0
  }

  set(): void {
    Atomics.store(this.memory, 0, 1)
  }

  /** Removes the listener: a signal may live as long as its connection, and listeners must not accumulate. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  /** For a result that is computed while it is read. */
  async *releaseAfter<Chunk>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void, void> {
    try {
      yield* chunks
    } finally {
      // A reader that left early: the engine may be computing the next chunk.
      this.set()
      this.release()
    }
  }
}
