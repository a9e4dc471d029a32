import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { Discovery } from './discovery.ts'
import type { Neighbor } from './packet.ts'

/** Soon after the start, when others start too, then less and less often. */
const FIRST_REFRESH_MS = 2_000
const LAST_REFRESH_MS = 30_000
const REVALIDATE_MS = 10_000

export interface DiscoverySchedule {
  stop(): void
}

/** Keeps the table of a discovery filled and true. */
export function scheduleDiscovery(
  discovery: Discovery,
  self: string,
  bootnodes: readonly Neighbor[],
  retriesBootnodes: boolean,
  clock: Clock,
  log: Log,
): DiscoverySchedule {
  const guarded = (work: Promise<unknown>): void => {
    work.catch((err) => log.error('Discovery failed.', { err }))
  }
  let isFirst = true
  const refresh = async (): Promise<void> => {
    const known = new Set(discovery.nodes().map(({ id }) => id))
    const asked = isFirst || retriesBootnodes ? bootnodes.filter(({ id }) => !known.has(id)) : []
    isFirst = false
    await Promise.all(asked.map((node) => discovery.ping(node)))
    await discovery.lookup(parseDataLenient(self))
    await discovery.lookupRandom()
  }
  let nextMs = FIRST_REFRESH_MS
  const repeat = (): Timer =>
    clock.after(
      nextMs,
      () => {
        nextMs = Math.min(LAST_REFRESH_MS, nextMs * 2)
        refreshing = repeat()
        guarded(refresh())
      },
      { unref: true },
    )
  guarded(refresh())
  let refreshing = repeat()
  const revalidating = clock.every(REVALIDATE_MS, () => guarded(discovery.revalidate()), { unref: true })
  return {
    stop() {
      refreshing.cancel()
      revalidating.cancel()
    },
  }
}
