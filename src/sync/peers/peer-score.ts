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

export interface ScoredEnd {
  readonly reason: DisconnectReason
  readonly sentence: string
}

export class PeerScore {
  #points = START
  readonly #timeouts = new Map<number, number>()
  #useless: number[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The higher, the sooner it is asked. */
  get points(): number {
    return this.#points
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
