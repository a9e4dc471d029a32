import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { startThread, type Thread } from '#platform/thread/thread.ts'
import type { EngineConfig, EngineThreadOffers, HeadNewsOffer } from './engine-protocol.ts'

export type EngineThread = Thread<HeadNewsOffer, EngineThreadOffers>

/** Starts a thread that executes code for servers; they are connected to it one by one. */
export function startEngineThread(
  name: string,
  config: EngineConfig,
  { clock, log }: { clock: Clock; log: Log },
): Promise<EngineThread> {
  return startThread<HeadNewsOffer, EngineThreadOffers>({
    name,
    entry: import.meta.resolve('#rpc/threads/engine-thread-entry.ts'),
    data: config,
    clock,
    lowPriority: true,
    onError: (error) => log.error('The channel to an engine thread failed.', { err: error }),
    handlers: {},
  })
}
