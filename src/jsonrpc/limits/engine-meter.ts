import { isStream } from '#jsonrpc/method.ts'
import type { Clock } from '#platform/clock.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'

/** Divides the time of a thread among its running requests, which together pay no more than has passed. */
export class EngineMeter {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #running = 0
  /** The share of each running request since the thread started. */
  #sharedMs = 0
  #atMs = 0

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Charges failed and cancelled work too, and each chunk of a streamed result. */
  async run<Value>(work: () => MaybePromise<Value>, charge: (ms: number) => void): Promise<Value> {
    const result = await this.#measure(work, charge)
    return isStream(result) ? (this.#chunks(result, charge) as Value) : result
  }

  async #measure<Value>(work: () => MaybePromise<Value>, charge: (ms: number) => void): Promise<Value> {
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

  /** Charges the time to make each chunk, not the time until the reader asks for it. */
  async *#chunks(source: AsyncIterable<string>, charge: (ms: number) => void): AsyncGenerator<string> {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#measure(() => iterator.next(), charge)
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
