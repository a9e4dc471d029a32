import type { Clock, Timer } from './clock.ts'

export interface GatherSettings {
  readonly intervalMs: number
  /** Whether the first item after a pause is handed on at once; otherwise it waits for the interval like the others. */
  readonly handsFirstOnAtOnce: boolean
  /**
   * The interval for each item of the last batch, up to `intervalMs`: if items are rare, batches would be small and only
   * late. If undefined, the interval is constant.
   */
  readonly perItemMs?: number
}

/** Gathers items and hands them on together: a message between threads or nodes costs more than an item in it. */
export class Gather<Item> {
  readonly #clock: Clock
  readonly #settings: GatherSettings
  readonly #handOn: (items: readonly Item[]) => void
  #items: Item[] = []
  #timer: Timer | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  #lastItems = 0

  constructor(clock: Clock, settings: GatherSettings, handOn: (items: readonly Item[]) => void) {
    this.#clock = clock
    this.#settings = settings
    this.#handOn = handOn
  }

  add(items: readonly Item[]): void {
    this.#items.push(...items)
    if (this.#timer !== undefined) return
    const waitMs = this.#waitMs()
    if (waitMs <= 0) this.#flush()
    else this.#timer = this.#clock.after(waitMs, () => this.#flush(), { unref: true })
  }

  #waitMs(): number {
    const { intervalMs, handsFirstOnAtOnce, perItemMs = intervalMs } = this.#settings
    if (!handsFirstOnAtOnce) return intervalMs
    const pauseMs = Math.min(intervalMs, perItemMs * this.#lastItems)
    return this.#lastMs + pauseMs - this.#clock.monotonicMs()
  }

  #flush(): void {
    const items = this.#items
    this.#items = []
    this.#timer = undefined
    this.#lastMs = this.#clock.monotonicMs()
    this.#lastItems = items.length
    this.#handOn(items)
  }
}
