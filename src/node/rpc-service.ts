import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log, RootLog } from '#platform/log.ts'
import type { Metrics } from '#platform/metrics.ts'
import { createLoginLimit } from '#rpc/auth/login-limit.ts'
import { rpcOptions } from '#rpc/options.ts'
import type { Services } from '#rpc/ports.ts'
import { ignoredOptions, readHttpConfig, readWebSocketConfig } from '#rpc/read-config.ts'
import type { ServerConfig } from '#rpc/server-config.ts'
import type { MainPorts } from '#rpc/server-thread.ts'
import { type SupervisedServer, superviseServer } from '#rpc/supervised-server.ts'
import { readLogOptions } from './log-settings.ts'
import { metricsOptions } from './metrics-options.ts'

const START_DEADLINE_MS = 30_000
/** Draining takes five seconds at most; the rest is for a busy machine. */
const STOP_DEADLINE_MS = 10_000
const METRICS_DEADLINE_MS = 2_000

/** What a server is told of the node it serves. */
export interface ServedNode {
  readonly clientVersion: string
  readonly networkId: bigint
  /** Filled by whoever starts a service, read by net_services. */
  readonly services: Record<string, Services[keyof Services]>
}

export interface RpcServiceParts {
  readonly clock: Clock
  readonly log: Log
  readonly setLevel: RootLog['setLevel']
  readonly metrics: Metrics
}

/** JSON-RPC in a thread of its own; nothing when neither transport is enabled. */
export function createRpcService(
  settings: Settings,
  node: ServedNode,
  { clock, log, setLevel, metrics }: RpcServiceParts,
): Service[] {
  const warn = (sentence: string) => log.warn(sentence)
  for (const sentence of ignoredOptions(settings)) warn(sentence)
  const config: ServerConfig = {
    clientVersion: node.clientVersion,
    networkId: node.networkId,
    log: readLogOptions(settings),
    metricsPrefix: settings.get(metricsOptions.prefix),
    hostAllowlist: settings.get(rpcOptions.hostAllowlist),
    prettyPrint: settings.get(rpcOptions.prettyPrint),
    http: readHttpConfig(settings, warn),
    websocket: readWebSocketConfig(settings, warn),
  }
  if (config.http === null && config.websocket === null) return []
  const logins = createLoginLimit(clock, settings.get(rpcOptions.loginAttempts))
  let server: SupervisedServer | undefined
  const ports: MainPorts = {
    admitLogin: (remoteAddress) => logins.admit(remoteAddress),
    services: () => node.services,
    // Peers and synchronisation come with their rooms; until then nobody is connected.
    isListening: () => false,
    health: () => ({ peers: 0, blocksBehind: null }),
    setLogLevel: async (level, names) => {
      setLevel(level, names)
      await server?.thread().channel.request('setLogLevel', { level, names })
    },
  }
  return [
    {
      name: 'JSON-RPC',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: STOP_DEADLINE_MS,
      async start() {
        server = await superviseServer('server-0', config, ports, {
          clock,
          log,
          onStarted: ({ name, channel }) =>
            metrics.collectFrom(name, () =>
              channel.request('metrics', null, { deadlineMs: METRICS_DEADLINE_MS }),
            ),
        })
        const { http, websocket } = server.addresses
        if (http) {
          node.services.jsonrpc = http
          log.info(`JSON-RPC service started and listening on ${http.host}:${http.port}`)
        }
        if (websocket) {
          node.services.ws = websocket
          log.info(`Websocket service started and listening on ${websocket.host}:${websocket.port}`)
        }
      },
      async stop() {
        await server?.stop(STOP_DEADLINE_MS)
      },
    },
  ]
}
