import type { Clock } from '#platform/clock.ts'

/**
 * The time of a thread, divided among what runs on it at once: requests take turns there, and all of them together are
 * charged no more than has passed.
 */
export class EngineMeter {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #running = 0
  /** What each of those that run has had since the thread began. */
  #sharedMs = 0
  #atMs = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** However it ends: what is given up or fails has taken its time too. */
  async run<Value>(work: () => Promise<Value>, charge: (ms: number) => void): Promise<Value> {
    const beganMs = this.#advance()
    this.#running++
    try {
      return await work()
    } finally {
      const endedMs = this.#advance()
      this.#running--
      charge(endedMs - beganMs)
    }
  }

  /** While the next chunk is made; what its reader takes to ask for it is no time of ours. */
  async *chunks<Chunk>(
    source: AsyncIterable<Chunk>,
    charge: (ms: number) => void,
  ): AsyncGenerator<Chunk, void, void> {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.run(() => iterator.next(), charge)
        if (next.done) return
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }

  #advance(): number {
    const nowMs = this.#clock.monotonicMs()
    if (this.#running > 0) this.#sharedMs += (nowMs - this.#atMs) / this.#running
    this.#atMs = nowMs
    return this.#sharedMs
  }
}
