import type { Clock, Timer } from './clock.ts'

/**
 * Gathers items and hands them on together: at once if the last time is long ago, otherwise when the interval since then is
 * over. A message between threads or nodes costs more than an item in it, and a single item must not wait.
 */
export class Pace<Item> {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #handOn: (items: readonly Item[]) => void
  #items: Item[] = []
  #timer: Timer | undefined
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, intervalMs: number, handOn: (items: readonly Item[]) => void) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#handOn = handOn
  }

  add(items: readonly Item[]): void {
    this.#items.push(...items)
    if (this.#timer !== undefined) return
    const waitMs = this.#lastMs + this.#intervalMs - this.#clock.monotonicMs()
    if (waitMs <= 0) this.#flush()
    else this.#timer = this.#clock.after(waitMs, () => this.#flush(), { unref: true })
  }

  #flush(): void {
    const items = this.#items
    this.#items = []
    this.#timer = undefined
    this.#lastMs = this.#clock.monotonicMs()
    this.#handOn(items)
  }
}
