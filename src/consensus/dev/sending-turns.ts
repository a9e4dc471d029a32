import type { Clock, Timer } from '#platform/clock.ts'

/** Longer than a transaction takes to be completed and included. A server that ended does not end its turn. */
const TURN_MS = 30_000

/** Lets server threads send one transaction at a time, so that two transactions of one account get different nonces. */
export class SendingTurns {
  readonly #clock: Pick<Clock, 'after'>
  readonly #waiting: ((turn: number) => void)[] = []
  #turn = 0
  #timer: Timer | undefined

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  take(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    this.#waiting.push(resolve)
    if (this.#timer === undefined) this.#next()
    return promise
  }

  /** A turn that was over before has no effect. */
  end(turn: number): void {
    if (turn !== this.#turn || this.#timer === undefined) return
    this.#timer.cancel()
    this.#timer = undefined
    this.#next()
  }

  #next(): void {
    const begin = this.#waiting.shift()
    if (begin === undefined) return
    const turn = ++this.#turn
    this.#timer = this.#clock.after(TURN_MS, () => this.end(turn), { unref: true })
    begin(turn)
  }
}
