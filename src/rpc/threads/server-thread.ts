import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { answerPorts, tellPorts } from '#platform/port-table.ts'
import { startThread, type Thread } from '#platform/thread/thread.ts'
import { LIVE_PORTS } from '#rpc/live-ports.ts'
import type { ServerConfig } from '#rpc/settings/server-config.ts'
import { type MainOffers, type MainOwners, SERVER_PORTS, type ServerOffers } from './server-protocol.ts'

export type ServerThread = Thread<MainOffers, ServerOffers>

/**
 * Left to itself V8 lets the young generation grow to 100 MB under a flood of short connections, and keeps it. For
 * requests this much does as well.
 */
const YOUNG_GENERATION_MAX_MB = 32

/** Starts a thread that holds sockets, authenticates and dispatches. It listens when the promise resolves. */
export function startServerThread(
  name: string,
  config: ServerConfig,
  owners: MainOwners,
  { clock, log }: { clock: Clock; log: Log },
): Promise<ServerThread> {
  return startThread<MainOffers, ServerOffers>({
    name,
    entry: import.meta.resolve('#rpc/threads/server-thread-entry.ts'),
    data: config,
    clock,
    lowPriority: true,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    onError: (error) => log.error('The channel to a server thread failed.', { err: error }),
    handlers: {
      requests: answerPorts({ ...LIVE_PORTS, ...SERVER_PORTS }, owners),
      streams: tellPorts(LIVE_PORTS, owners),
    },
  })
}
