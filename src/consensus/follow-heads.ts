/** Tells the driver which block is next, whenever the head moved; while blocks are caught up on, it is to be silent. */
import type { HeadNews, NextMakers } from '#chain/write/head-news.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Signal } from '#platform/signal.ts'

/** While blocks are caught up on. */
const RECHECK_MS = 500

export interface FollowHeadsParts {
  readonly clock: Clock
  readonly log: Log
  readonly writer: Pick<ChainWriter, 'makersOfNext'>
  readonly headMoved: Signal<HeadNews>
  /** Whether blocks of others are imported, many at a time: meanwhile this node votes for nothing. */
  readonly isCatchingUp: () => boolean
  readonly enter: (next: NextMakers) => void
  readonly suspend: () => void
}

export interface FollowedHeads {
  stop(): void
}

export function followHeads(parts: FollowHeadsParts): FollowedHeads {
  const { clock, log, writer, headMoved, isCatchingUp, enter, suspend } = parts
  let heads = 0
  let recheck: Timer | undefined
  /** At the start, and where the news could not tell. */
  const ask = async (): Promise<void> => {
    const asked = heads
    const found = await writer.makersOfNext()
    if (asked === heads && found !== null) enter(found)
  }
  const follow = (news?: HeadNews): void => {
    heads++
    if (isCatchingUp()) {
      suspend()
      recheck ??= clock.after(RECHECK_MS, () => {
        recheck = undefined
        follow()
      })
    } else if (news !== undefined && news.next !== null) enter(news.next)
    else ask().catch((err: unknown) => log.error('The validators of the next block are not known.', { err }))
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
