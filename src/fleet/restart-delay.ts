const FIRST_MS = 1_000
const LONGEST_MS = 30_000
/** A node that ran for so long did start: its next failure is another one. */
const STABLE_MS = 60_000

/** How long a node that ended waits until it is started again: longer every time, until it has run well for a while. */
export class RestartDelay {
  #delayMs = 0
  #startedMs = Number.NEGATIVE_INFINITY
  #endedMs: number | undefined

  started(nowMs: number): void {
    this.#startedMs = nowMs
    this.#endedMs = undefined
  }

  /** The node does not run; gives how many ms are left until it should. */
  leftMs(nowMs: number): number {
    if (this.#endedMs === undefined) {
      const ranMs = nowMs - this.#startedMs
      if (ranMs === Number.POSITIVE_INFINITY || ranMs >= STABLE_MS) this.#delayMs = 0
      else this.#delayMs = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delayMs * 2))
      this.#endedMs = nowMs
    }
    return Math.max(0, this.#endedMs + this.#delayMs - nowMs)
  }
}
