/** Unpacking is work for the thread pool that the database's commits share; so few pieces at a time. */
const AT_ONCE_MAX = 4

/** The others wait for their turn, a piece of each at most; who sends nothing has none. */
export class Unpackers {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Calls `start` now or later; it must call `end` once, and may call it again. */
  take(start: (end: () => void) => void): void {
    if (this.#running === AT_ONCE_MAX) this.#waiting.push(() => this.#begin(start))
    else this.#begin(start)
  }

  #begin(start: (end: () => void) => void): void {
    this.#running += 1
    let isRunning = true
    start(() => {
      if (!isRunning) return
      isRunning = false
      this.#running -= 1
      this.#waiting.shift()?.()
    })
  }
}
