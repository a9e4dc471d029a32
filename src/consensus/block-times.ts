/** What the times of the last blocks say about the clock of this machine. */
import type { Address } from '#types/address.ts'
import type { HeightContext } from './bft/events.ts'

const KEPT = 4
const ENOUGH = 3
const SECOND_MS = 1_000

export class BlockTimes {
  readonly #self: Address
  #height = 0
  #late: readonly { readonly by: Address; readonly ms: number }[] = []

  constructor(self: Address) {
    this.#self = self
  }

  /** The head moved to the parent of this height, now. Several blocks at once are old ones, whose times say nothing. */
  note({ height, parent }: Pick<HeightContext, 'height' | 'parent'>, wallMs: number): void {
    const isNext = height === this.#height + 1
    this.#height = height
    if (!isNext || parent.coinbase === this.#self) return
    const ms = wallMs - parent.timestampSeconds * SECOND_MS
    this.#late = [...this.#late.slice(1 - KEPT), { by: parent.coinbase, ms }]
  }

  /** By how much this clock is ahead of those of several others at least; 0 where they do not agree on it. */
  get clockAheadMs(): number {
    const isKnown = this.#late.length >= ENOUGH && new Set(this.#late.map(({ by }) => by)).size > 1
    return isKnown ? Math.max(0, Math.min(...this.#late.map(({ ms }) => ms))) : 0
  }
}
