/** Work that must not overlap: each piece begins when those before it are done, in the order in which they came. */
export class SerialQueue {
  readonly #max: number
  /** Pieces that run or wait. */
  #size = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** undefined: as many as may are under way. */
  take<Value>(work: () => Promise<Value>): Promise<Value> | undefined {
    return this.#size >= this.#max ? undefined : this.run(work)
  }

  /** Settles as `work` does. Its caller hears of a failure; the work behind it does not. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#size += 1
    const turn = this.#last.then(work)
    const onDone = (): void => {
      this.#size -= 1
    }
    this.#last = turn.then(onDone, onDone)
    return turn
  }
}
