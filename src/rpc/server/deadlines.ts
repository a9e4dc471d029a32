import type { Clock, Timer } from '#platform/clock.ts'

export interface Expirable {
  /** Set by Deadlines; meaningless outside. */
  dueMs: number
  /** Its time is up; it is no longer watched. */
  onDeadline(): void
}

/**
 * One time limit for many: since all have the same, whoever started first is due first, and one timer serves
 * them all. A timer for each request would cost more than the request's own book-keeping.
 */
export class Deadlines<T extends Expirable> {
  readonly #clock: Clock
  readonly #limitMs: number
  /** In order of dueMs: a Set keeps the order of insertion. */
  readonly #watched = new Set<T>()
  #timer: Timer | undefined

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Starts, or starts again, the time of `item`. */
  watch(item: T): void {
    this.#watched.delete(item)
    item.dueMs = this.#clock.monotonicMs() + this.#limitMs
    this.#watched.add(item)
    if (this.#timer === undefined) this.#arm(this.#limitMs)
  }

  forget(item: T): void {
    // The timer stays armed: it finds nothing due, and stopping it here would cost every request.
    this.#watched.delete(item)
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => this.#expire(), { unref: true })
  }

  #expire(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const item of this.#watched) {
      if (item.dueMs > nowMs) {
        this.#arm(item.dueMs - nowMs)
        return
      }
      this.#watched.delete(item)
      item.onDeadline()
    }
    this.#timer = undefined
  }
}
