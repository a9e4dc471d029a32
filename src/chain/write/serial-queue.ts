/** Work that must not overlap, in the order in which it was asked for. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work)
    // Whoever asked hears of the failure; the next turn does not.
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
