/** Runs work one piece at a time, in the order of arrival. */
export class SerialQueue {
  readonly #max: number
  /** Jobs running or waiting. */
  #size = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** Undefined if the queue is full. */
  take<Value>(work: () => Promise<Value>): Promise<Value> | undefined {
    return this.#size >= this.#max ? undefined : this.run(work)
  }

  /** Settles like `work`. Only the caller sees a failure; later work still runs. */
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
