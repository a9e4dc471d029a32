import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { answerPorts, tellPorts } from '#platform/port-table.ts'
import { type PreparedThread, startThread, type Thread, type ThreadPlan } from '#platform/thread/thread.ts'
import { CONTRACTS } from '#rpc/contracts.ts'
import type { ServerConfig } from '#rpc/settings/server-config.ts'
import { type MainOffers, type MainOwners, SERVER_PORTS, type ServerOffers } from './server-protocol.ts'

export type ServerThread = Thread<MainOffers, ServerOffers>

/** Starts a thread that holds sockets, authenticates and dispatches. It listens when the promise resolves. */
export function startServerThread(
  plan: ThreadPlan,
  config: ServerConfig,
  owners: MainOwners,
  { clock, log, prepared }: { clock: Clock; log: Log; prepared: PreparedThread | undefined },
): Promise<ServerThread> {
  return startThread<MainOffers, ServerOffers>({
    ...plan,
    prepared,
    data: config,
    clock,
    lowPriority: true,
    onError: (error) => log.error('The channel to a server thread failed.', { err: error }),
    handlers: {
      requests: answerPorts({ ...CONTRACTS, ...SERVER_PORTS }, owners),
      streams: tellPorts(CONTRACTS, owners),
    },
  })
}
