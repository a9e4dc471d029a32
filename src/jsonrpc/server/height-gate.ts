import type { Clock } from '#platform/clock.ts'
import { Deadlines, type Expirable } from './deadlines.ts'

/** Answer header: the block that the answer comes from. The answer may show a later block, never an earlier one. */
export const HEIGHT_HEADER = 'cairn-height'
/** Request header: the minimum block number of the answer. */
export const MIN_HEIGHT_HEADER = 'cairn-min-height'

/** A follower is behind by a block and its import time; further behind means that it is catching up. */
export const HEIGHT_WAIT_MS = 2_000
/** Blocks further ahead cannot arrive within that time; another node has them. */
export const HEIGHT_AHEAD_MAX = 64
/** Per server. Each waiter holds a connection and a body, which have their own limits. */
export const HEIGHT_WAITERS_MAX = 1_024

/** Decimal, or hex as in receipts; longer numbers are not heights. */
const HEIGHT_TEXT = /^(?:\d{1,15}|0x[\da-f]{1,13})$/i

export interface HeightSource {
  /** The head that answers come from now. */
  height(): number
  /** Called after `height` returns the new value. Returns the function that unsubscribes. */
  onMoved(listener: () => void): () => void
}

export type HeightVerdict = 'reached' | 'not reached' | 'too many wait'

export function readHeight(text: string): number | undefined {
  return HEIGHT_TEXT.test(text) ? Number(text) : undefined
}

/** Lets requests wait for a block that another node has: briefly, and not too many at once. */
export class HeightGate {
  readonly #source: HeightSource
  readonly #waiting = new Set<Waiter>()
  readonly #deadlines: Deadlines<Waiter>
  #stopListening: (() => void) | undefined

  constructor(source: HeightSource, clock: Clock) {
    this.#source = source
    this.#deadlines = new Deadlines(clock, HEIGHT_WAIT_MS)
  }

  get height(): number {
    return this.#source.height()
  }

  get waiters(): number {
    return this.#waiting.size
  }

  /** Calls `settle` once, perhaps synchronously, unless the returned function cancels the wait. */
  wait(least: number, settle: (verdict: HeightVerdict) => void): () => void {
    const { height } = this
    if (least <= height) settle('reached')
    else if (least > height + HEIGHT_AHEAD_MAX) settle('not reached')
    else if (this.#waiting.size >= HEIGHT_WAITERS_MAX) settle('too many wait')
    else return this.#admit(least, settle)
    return NOTHING_TO_LEAVE
  }

  #admit(least: number, settle: (verdict: HeightVerdict) => void): () => void {
    const waiter: Waiter = {
      least,
      settle,
      dueMs: 0,
      onDeadline: () => this.#settle(waiter, 'not reached'),
    }
    this.#waiting.add(waiter)
    this.#deadlines.watch(waiter)
    this.#stopListening ??= this.#source.onMoved(() => this.#onMoved())
    return () => this.#forget(waiter)
  }

  #onMoved(): void {
    const { height } = this
    for (const waiter of this.#waiting) {
      if (waiter.least <= height) this.#settle(waiter, 'reached')
    }
  }

  #settle(waiter: Waiter, verdict: HeightVerdict): void {
    this.#forget(waiter)
    waiter.settle(verdict)
  }

  #forget(waiter: Waiter): void {
    this.#deadlines.forget(waiter)
    this.#waiting.delete(waiter)
    if (this.#waiting.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}

const NOTHING_TO_LEAVE = (): void => {}

interface Waiter extends Expirable {
  readonly least: number
  readonly settle: (verdict: HeightVerdict) => void
}
