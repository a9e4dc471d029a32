/** Signals cannot fire while an engine computes: it polls a cell of shared memory, which the signal sets. */
export class CancelCell {
  readonly memory: Int32Array
  readonly #signal: AbortSignal
  readonly #onAbort = (): void => this.set()

  /** `memory`: of a cell that was released and never set. */
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

  /** Nobody computes any more. A signal may live as long as its connection: what listens to it must not pile up. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  /** For a result that is computed while it is read. */
  async *releaseAfter(chunks: AsyncIterable<string>): AsyncGenerator<string, void, void> {
    try {
      yield* chunks
    } finally {
      // A reader that left early: the engine may be computing the next chunk.
      this.set()
      this.release()
    }
  }
}
