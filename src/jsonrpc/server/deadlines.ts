import type { Clock, Timer } from '#platform/clock.ts'

export interface Expirable {
  /** Set by Deadlines. */
  dueMs: number
  /** Called when the time is up; the item is no longer watched. */
  onDeadline(): void
}

/** One timer for many items with the same time limit, because a timer per request would cost too much. */
export class Deadlines<T extends Expirable> {
  readonly #clock: Clock
  readonly #limitMs: number
  /** In order of dueMs, since a Set keeps insertion order. */
  readonly #watched = new Set<T>()
  #timer: Timer | undefined

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  /** Starts or restarts the time of `item`. */
  watch(item: T): void {
    this.#watched.delete(item)
    item.dueMs = this.#clock.monotonicMs() + this.#limitMs
    this.#watched.add(item)
    if (this.#timer === undefined) this.#arm(this.#limitMs)
  }

  forget(item: T): void {
    // The timer stays armed: it finds nothing due, and stopping it would cost every request.
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

/** An AbortController made on demand: most methods never read the signal, and it costs more than their work. */
export class LazyAbort {
  #controller: AbortController | undefined
  #reason: unknown

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get isAborted(): boolean {
    return this.#reason !== undefined
  }

  /** Only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
