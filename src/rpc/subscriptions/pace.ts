import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'

/** Requests on the same thread wait no longer than this for work that nobody asked for just now. */
const SLICE_MS = 4

/** Long work in slices: whoever does it asks for a rest where it can bear one. */
export class Pace {
  readonly #clock: Clock
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  /** undefined: there is time left, go on. */
  rest(): Promise<void> | undefined {
    if (this.#clock.monotonicMs() - this.#sinceMs < SLICE_MS) return undefined
    return nextTurn().then(() => {
      this.#sinceMs = this.#clock.monotonicMs()
    })
  }
}
