/** Compares recent block times with this machine's clock. */

import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Address } from '#types/address.ts'
import type { HeightContext } from './bft/events.ts'
import { CONSENSUS_PROBLEMS } from './log-problems.ts'

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

  /** Called when the head moved to the parent of this height. Several blocks at once are old, so their times say nothing. */
  note({ height, parent }: Pick<HeightContext, 'height' | 'parent'>, wallMs: number): void {
    const isNext = height === this.#height + 1
    this.#height = height
    if (!isNext || parent.coinbase === this.#self) return
    const ms = wallMs - parent.timestampSeconds * SECOND_MS
    this.#late = [...this.#late.slice(1 - KEPT), { by: parent.coinbase, ms }]
  }

  /** How far this clock is ahead of several others at least; 0 if they do not agree. */
  get clockAheadMs(): number {
    const isKnown = this.#late.length >= ENOUGH && new Set(this.#late.map(({ by }) => by)).size > 1
    return isKnown ? Math.max(0, Math.min(...this.#late.map(({ ms }) => ms))) : 0
  }
}

const LOOK_EVERY_MS = 3_000
/** NTP slewing stays far below; a jump of this size affects block times. */
const JUMP_MS = 1_000

/** Logs jumps of the wall clock: blocks carry its time, and a chain that waits for it must be explicable from the log. */
export function watchClock(clock: Clock, log: Log): Timer {
  const offset = (): number => clock.wallMs() - clock.monotonicMs()
  let before = offset()
  const look = (): void => {
    const now = offset()
    const byMs = Math.round(now - before)
    if (Math.abs(byMs) >= JUMP_MS) log.warn(CONSENSUS_PROBLEMS.clockJumped, { byMs })
    before = now
  }
  return clock.every(LOOK_EVERY_MS, look, { unref: true })
}
