import type { Clock } from '#platform/clock.ts'
import { Deadlines, type Expirable } from './deadlines.ts'

/** On every answer: the block that it comes from, as a number. It may show a later one, never an earlier one. */
export const HEIGHT_HEADER = 'cairn-height'
/** On a request: the block that its answer must not come before. */
export const MIN_HEIGHT_HEADER = 'cairn-min-height'

/** A follower is behind by a block and the time that it takes to import it; more means that it is catching up. */
export const HEIGHT_WAIT_MS = 2_000
/** Nothing is this far away within that time but by catching up, and somebody else is there already. */
export const HEIGHT_AHEAD_MAX = 64
/** Of one server. Each holds a connection and a body, which have limits of their own. */
export const HEIGHT_WAITERS_MAX = 1_024

/** Decimal, or a quantity as receipts have it; what is longer is no height of any chain. */
const HEIGHT_TEXT = /^(?:\d{1,15}|0x[\da-f]{1,13})$/i

export interface HeightSource {
  /** Of the head that answers come from now. */
  height(): number
  /** After `height` gives the new one. Returns the way to stop listening. */
  onMoved(listener: () => void): () => void
}

export type HeightVerdict = 'reached' | 'not reached' | 'too many wait'

/** undefined: the text is no height. */
export function readHeight(text: string): number | undefined {
  return HEIGHT_TEXT.test(text) ? Number(text) : undefined
}

/** Lets requests wait for a block that another node has already: for a short time, and not too many at once. */
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

  /** `settle` is called once, perhaps at once, unless whoever waits leaves by the function that is returned. */
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
