/** One change after the other: each begins when those before it are done. */
export class ChangeTurns {
  readonly #maxWaiting: number
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** undefined: as many wait as may. */
  take<Result>(run: () => Promise<Result>): Promise<Result> | undefined {
    if (this.#waiting >= this.#maxWaiting) return undefined
    this.#waiting++
    const turn = this.#last.then(run).finally(() => this.#waiting--)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
