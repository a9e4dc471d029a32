/** Rates a peer's answers, with Besu's numbers: a few bad ones are tolerated, many in a row are not. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { Clock } from '#platform/clock.ts'

const START = 100
const MAX = 150
const SMALL = 1
const LARGE = 10
/** Maximum consecutive timeouts of one request kind. */
const MAX_TIMEOUTS = 5
const MAX_USELESS = 5
const USELESS_WINDOW_MS = 60_000
/** The weight of all earlier answers relative to the latest one. */
const PAST_WEIGHT = 0.5

export interface ScoredEnd {
  readonly reason: DisconnectReason
  readonly sentence: string
}

export class PeerScore {
  #points = START
  readonly #timeouts = new Map<number, number>()
  readonly #answers = new Map<number, { readonly items: number; readonly ms: number }>()
  #useless: number[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Peers with more points are asked first. */
  get points(): number {
    return this.#points
  }

  /** Items per second in recent answers to one request kind; undefined before the first. */
  rate(code: number): number | undefined {
    const found = this.#answers.get(code)
    return found && (found.items * 1_000) / Math.max(1, found.ms)
  }

  /** Records an answer, or a timeout with 0 items. */
  answered(code: number, items: number, tookMs: number): void {
    const past = this.#answers.get(code) ?? { items: 0, ms: 0 }
    this.#answers.set(code, {
      items: past.items * PAST_WEIGHT + items,
      ms: past.ms * PAST_WEIGHT + tookMs,
    })
  }

  useful(): void {
    this.#timeouts.clear()
    this.#points = Math.min(MAX, this.#points + SMALL)
  }

  /** Returns why the peer must be disconnected, if so. */
  timedOut(code: number): ScoredEnd | undefined {
    const count = (this.#timeouts.get(code) ?? 0) + 1
    this.#timeouts.set(code, count)
    this.#points -= LARGE
    if (count < MAX_TIMEOUTS) return undefined
    return {
      reason: 'timeout',
      sentence: `The peer left ${count} requests with the code ${code} unanswered.`,
    }
  }

  useless(): ScoredEnd | undefined {
    const nowMs = this.#clock.monotonicMs()
    this.#points -= LARGE
    this.#useless = [...this.#useless.filter((atMs) => nowMs - atMs < USELESS_WINDOW_MS), nowMs]
    if (this.#useless.length < MAX_USELESS) return undefined
    return {
      reason: 'uselessPeer',
      sentence: `The peer gave ${MAX_USELESS} answers of no use within a minute.`,
    }
  }
}
