import { nextTurn } from '#platform/next-turn.ts'

/** Making frames of this much takes some milliseconds. */
const TURN_MAX_BYTES = 512 * 1024

/**
 * How much bulk all connections together send in one turn of the event loop. A socket that takes everything at once, as one on the
 * same machine does, would otherwise keep the thread from hearing anything, messages of consensus included.
 */
export class BulkTurns {
  readonly #waiting: (() => void)[] = []
  #bytes = 0
  #isScheduled = false

  get hasRoom(): boolean {
    return this.#bytes < TURN_MAX_BYTES
  }

  spend(bytes: number): void {
    this.#bytes += bytes
    this.#schedule()
  }

  /** Called in a later turn, in the order of asking. */
  wait(resume: () => void): void {
    this.#waiting.push(resume)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    void nextTurn().then(() => this.#begin())
  }

  #begin(): void {
    this.#isScheduled = false
    this.#bytes = 0
    while (this.#waiting.length > 0 && this.hasRoom) this.#waiting.shift()!()
    if (this.#waiting.length > 0) this.#schedule()
  }
}
