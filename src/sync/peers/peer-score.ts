/** What a peer's answers were worth, by Besu's figures: a few bad ones are bad luck, many in a row are a bad peer. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { Clock } from '#platform/clock.ts'

const START = 100
const MAX = 150
const SMALL = 1
const LARGE = 10
/** Of one kind of request, without an answer in between. */
const MAX_TIMEOUTS = 5
const MAX_USELESS = 5
const USELESS_WINDOW_MS = 60_000
/** The weight of all earlier answers together, next to the latest one. */
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

  /** The higher, the sooner it is asked. */
  get points(): number {
    return this.#points
  }

  /** Items per second in the latest answers to requests of one kind; undefined: it was not asked yet. */
  rate(code: number): number | undefined {
    const found = this.#answers.get(code)
    return found && (found.items * 1_000) / Math.max(1, found.ms)
  }

  /** Counts an answer, or with 0 items that none came in the time. */
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

  /** The end that it has earned; undefined: none yet. */
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
