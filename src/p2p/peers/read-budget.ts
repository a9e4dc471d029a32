import type { MessageLimit } from './protocol.ts'

const WINDOW_MS = 1_000
/** PING and PONG: an honest peer sends one in fifteen seconds. */
const CONTROL_PER_SECOND = 10

/** How many messages of each kind one peer has sent in this second. */
export class ReadBudget {
  #windowMs = Number.NEGATIVE_INFINITY
  #counts = new Map<number, number>()

  /** For how long nothing should be read from the peer; 0 while it keeps to its limits. */
  take(wireCode: number, limit: Pick<MessageLimit, 'perSecond'> | undefined, nowMs: number): number {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs
      this.#counts = new Map()
    }
    const count = (this.#counts.get(wireCode) ?? 0) + 1
    this.#counts.set(wireCode, count)
    const isWithin = count <= (limit?.perSecond ?? CONTROL_PER_SECOND)
    return isWithin ? 0 : this.#windowMs + WINDOW_MS - nowMs
  }
}
