import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { Discovery } from './discovery.ts'
import type { Neighbor } from './packet.ts'

/** Bootnodes that are not known any more are asked again, as Besu does in networks of validators. */
const REFRESH_MS = 30_000
const REVALIDATE_MS = 10_000

export interface DiscoverySchedule {
  stop(): void
}

/** Keeps the table of a discovery filled and true. */
export function scheduleDiscovery(
  discovery: Discovery,
  self: string,
  bootnodes: readonly Neighbor[],
  clock: Clock,
  log: Log,
): DiscoverySchedule {
  const guarded = (work: Promise<unknown>): void => {
    work.catch((err) => log.error('Discovery failed.', { err }))
  }
  const refresh = async (): Promise<void> => {
    const known = new Set(discovery.nodes().map(({ id }) => id))
    await Promise.all(bootnodes.filter(({ id }) => !known.has(id)).map((node) => discovery.ping(node)))
    await discovery.lookup(parseDataLenient(self))
    await discovery.lookupRandom()
  }
  guarded(refresh())
  const timers: readonly Timer[] = [
    clock.every(REFRESH_MS, () => guarded(refresh()), { unref: true }),
    clock.every(REVALIDATE_MS, () => guarded(discovery.revalidate()), { unref: true }),
  ]
  return {
    stop() {
      for (const timer of timers) timer.cancel()
    },
  }
}
