import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'

/** Maximum delay of requests on this thread. */
const SLICE_MS = 4

/** Long work in slices, with a rest wherever the worker allows it. */
export class Pace {
  readonly #clock: Clock
  #sinceMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  /** Undefined if there is time left. */
  rest(): Promise<void> | undefined {
    if (this.#clock.monotonicMs() - this.#sinceMs < SLICE_MS) return undefined
    return nextTurn().then(() => {
      this.#sinceMs = this.#clock.monotonicMs()
    })
  }
}
