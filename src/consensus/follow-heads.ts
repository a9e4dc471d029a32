/** Tells the driver the next height whenever the head moves, and suspends it while many blocks are imported. */
import type { HeadChange, NextValidators } from '#chain/write/head-change.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Signal } from '#platform/signal.ts'
import { CONSENSUS_PROBLEMS } from './log-problems.ts'

/** How often syncing is checked. */
const RECHECK_MS = 500

export interface FollowHeadsParts {
  readonly clock: Clock
  readonly log: Log
  readonly writer: Pick<ChainWriter, 'nextValidators'>
  readonly headMoved: Signal<HeadChange>
  /** Whether many blocks of others are being imported; this node signs nothing meanwhile. */
  readonly isCatchingUp: () => boolean
  readonly enter: (next: NextValidators) => void
  readonly suspend: () => void
}

export interface FollowedHeads {
  stop(): void
}

export function followHeads(parts: FollowHeadsParts): FollowedHeads {
  const { clock, log, writer, headMoved, isCatchingUp, enter, suspend } = parts
  let heads = 0
  let recheck: Timer | undefined
  /** Used at start, and if a head change does not contain the answer. */
  const ask = async (): Promise<void> => {
    const asked = heads
    const found = await writer.nextValidators()
    if (asked === heads && found !== null) enter(found)
  }
  const follow = (change?: HeadChange): void => {
    heads++
    if (isCatchingUp()) {
      suspend()
      recheck ??= clock.after(RECHECK_MS, () => {
        recheck = undefined
        follow()
      })
    } else if (change !== undefined && change.next !== null) enter(change.next)
    else ask().catch((err: unknown) => log.error(CONSENSUS_PROBLEMS.validatorsUnknown, { err }))
  }
  const unsubscribe = headMoved.subscribe(follow)
  follow()
  return {
    stop: () => {
      unsubscribe()
      recheck?.cancel()
    },
  }
}
