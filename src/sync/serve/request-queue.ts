/** Twice as many as a session leaves unhandled before it stops reading; a peer that waits for answers has a handful. */
const REQUESTS_MAX = 256

/** The unanswered requests of one peer: answered one at a time, in the order in which they came. */
export class RequestQueue {
  #size = 0
  #last: Promise<void> = Promise.resolve()

  get isFull(): boolean {
    return this.#size >= REQUESTS_MAX
  }

  /** Settles as `serve` does. */
  add(serve: () => Promise<void>): Promise<void> {
    this.#size += 1
    const served = this.#last.then(serve).finally(() => {
      this.#size -= 1
    })
    this.#last = served.catch(() => undefined)
    return served
  }
}
