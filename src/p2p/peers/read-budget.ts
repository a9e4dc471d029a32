import type { MessageLimit } from './protocol.ts'

const WINDOW_MS = 1_000
/** Limits for PING and PONG; an honest peer sends one every fifteen seconds. */
const CONTROL = { perSecond: 10, floodSeconds: 1 }

export interface ReadVerdict {
  /** How long nothing should be read from the peer; 0 within the limits. */
  readonly waitMs: number
  /** The peer exceeded the limit of this message for too long. */
  readonly isFlood: boolean
}

/** Counts one peer's messages by code in the current second, and the consecutive seconds above the limit. */
export class ReadBudget {
  #windowMs = Number.NEGATIVE_INFINITY
  #counts = new Map<number, number>()
  /** Consecutive seconds above the limit, by code: up to the last window, and including this one. */
  #beyondBefore = new Map<number, number>()
  #beyond = new Map<number, number>()

  take(wireCode: number, limit: Omit<MessageLimit, 'maxBytes'> | undefined, nowMs: number): ReadVerdict {
    if (nowMs - this.#windowMs >= WINDOW_MS) this.#nextWindow(nowMs)
    const count = (this.#counts.get(wireCode) ?? 0) + 1
    this.#counts.set(wireCode, count)
    const { perSecond, floodSeconds = Number.POSITIVE_INFINITY } = limit ?? CONTROL
    if (count <= perSecond) return { waitMs: 0, isFlood: false }
    const seconds = (this.#beyondBefore.get(wireCode) ?? 0) + 1
    this.#beyond.set(wireCode, seconds)
    return { waitMs: this.#windowMs + WINDOW_MS - nowMs, isFlood: seconds >= floodSeconds }
  }

  #nextWindow(nowMs: number): void {
    const isInARow = nowMs - this.#windowMs < 2 * WINDOW_MS
    this.#beyondBefore = isInARow ? this.#beyond : new Map()
    this.#beyond = new Map()
    this.#counts = new Map()
    this.#windowMs = nowMs
  }
}
