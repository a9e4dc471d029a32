import { availableParallelism } from 'node:os'
import { shareCallLogSwitch } from '#api/calls/call-log-switch.ts'
import { FilterCursors } from '#api/filters/filter-cursors.ts'
import { API_PROBLEMS } from '#api/log-problems.ts'
import { httpOptions, limitOptions, TRANSPORT_OPTIONS, websocketOptions } from '#api/options.ts'
import { type RunningChain, readerOf } from '#chain/start-chain.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import type { Settings } from '#config/settings.ts'
import { consoleUrl } from '#console/console-url.ts'
import { consoleOptions } from '#console/options.ts'
import { engineOptions } from '#engine-api/options.ts'
import { readEngineAuthentication } from '#engine-api/shared-secret.ts'
import { createLoginLimit } from '#jsonrpc/auth/login-limit.ts'
import { shareBuckets } from '#jsonrpc/limits/shared-buckets.ts'
import { readUserLimits } from '#jsonrpc/limits/user-limits.ts'
import { rpcOptions, userLimitOptions } from '#jsonrpc/settings/options.ts'
import {
  readHttp,
  readHttpConfig,
  readWebSocketConfig,
  unknownLimitedUsers,
} from '#jsonrpc/settings/read-config.ts'
import type { EnginePortConfig, HttpConfig, PipelineConfig } from '#jsonrpc/settings/server-config.ts'
import { shareSubscriptions } from '#jsonrpc/subscriptions/subscription-slots.ts'
import { shareOut } from '#jsonrpc/threads/share-ports.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { systemRandom } from '#platform/random.ts'
import { defineRoom } from '#platform/room.ts'
import type { Threads } from '#platform/thread/threads.ts'
import type { PluginSet } from '#plugins/host/plugin-set.ts'
import { readSubmissionRules } from '#pool/read-settings.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'
import type { SharedProgress } from '#sync/sync-progress.ts'
import { avoidBusyPorts } from './avoid-busy-ports.ts'
import { RpcThreads, type RpcThreadsConfig } from './rpc-threads.ts'
import type { MainOwners } from './server-protocol.ts'
import type { ApiServerConfig } from './server-thread.ts'

/** Longer than a thread may take to start, so that its own error appears. */
const START_DEADLINE_MS = 90_000
/** Draining takes at most five seconds; the rest is for a busy machine. */
const STOP_DEADLINE_MS = 10_000
/** For main and the writer. */
const CORES_OF_OTHERS = 2
const BUCKETS_SECRET_BYTES = 32

/** Options for embedding programs and tests. */
export interface EmbeddedRpc {
  /** True if the embedding program sends requests. */
  readonly takesInProcess?: boolean
  /** Modules with methods from outside the package, known to declareOutsideMethods. */
  readonly methodModules?: readonly string[]
}

interface RpcNeeds {
  readonly settings: Settings
  readonly config: ApiServerConfig
  readonly chain: RunningChain
  readonly pool: Pick<TransactionPool, 'additionCount'>
  /** Objects of other rooms, by contract. */
  readonly owners: Omit<MainOwners, 'filters' | 'logins' | 'heads' | 'engines'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly threads: Threads
}

/** JSON-RPC on its own threads; undefined if nothing can call it. */
export const RPC_ROOM = defineRoom({
  name: 'JSON-RPC',
  startDeadlineMs: START_DEADLINE_MS,
  stopDeadlineMs: 2 * STOP_DEADLINE_MS,
  start: async (needs: RpcNeeds, { onStop }): Promise<RpcThreads | undefined> => {
    const { settings, chain, log, clock } = needs
    const config = await avoidBusyPorts(needs.config, settings, (service, port) =>
      log.warn(API_PROBLEMS.portBusy, { service, port }),
    )
    const ports = [config.http, config.websocket, config.pipeline, config.enginePort]
    const isIdle = ports.every((each) => each === null)
    if (isIdle && !config.takesInProcess) return undefined
    const servers = await shareOut(config, Math.max(1, settings.get(rpcOptions.threads)), (reason) =>
      log.warn(API_PROBLEMS.serverThreadsReduced, { reason }),
    )
    const logins = createLoginLimit(clock, settings.get(rpcOptions.loginAttempts))
    const owners: MainOwners = {
      ...needs.owners,
      filters: filtersOf(needs),
      logins: { admit: (remoteAddress) => logins.admit(remoteAddress) },
      heads: { last: () => chain.head },
      engines: { start: async () => await threads.startEngines() },
    }
    const threads: RpcThreads = new RpcThreads(
      { servers, ...engineConfig(settings, config, chain) },
      { ...needs, owners },
    )
    onStop(() => threads.stop(STOP_DEADLINE_MS))
    await threads.start()
    const { http, websocket, console, engine } = threads.addresses
    if (http) log.info(`JSON-RPC service started and listening on ${http.host}:${http.port}`)
    if (websocket) {
      log.info(`Websocket service started and listening on ${websocket.host}:${websocket.port}`)
    }
    if (console) log.info('Console started', { url: consoleUrl(console, config.pipeline!.tls !== null) })
    if (engine) log.info('Engine API started', { host: engine.host, port: engine.port })
    return threads
  },
})

/** Stops clients first: a transaction taken after the peers have left would be announced to no one, and lost. */
export const CLIENTS = defineRoom({
  name: 'clients',
  startDeadlineMs: STOP_DEADLINE_MS,
  stopDeadlineMs: 2 * STOP_DEADLINE_MS,
  start: (
    { rpc, announced }: { rpc: RpcThreads | undefined; announced: () => Promise<void> },
    { onStop },
  ) => {
    if (rpc === undefined) return
    // Closed in reverse order: after the last client, everything that clients sent is announced.
    onStop(announced)
    onStop(() => rpc.stop(STOP_DEADLINE_MS))
  },
})

interface ServedNode extends EmbeddedRpc {
  readonly clientVersion: string
  readonly networkId: bigint
  readonly writer: WriterConfig
  readonly plugins: Pick<PluginSet, 'hosts' | 'methods'>
  readonly progress: Pick<SharedProgress, 'memory'>
  readonly devKeys: readonly string[] | undefined
  /** Whether a consensus client is served. */
  readonly servesEngineApi: boolean
}

/** Throws if options or files of the servers are wrong. */
export function readServerConfig(
  settings: Settings,
  {
    clientVersion,
    networkId,
    writer,
    plugins,
    progress,
    devKeys,
    servesEngineApi,
    takesInProcess = false,
    methodModules = [],
  }: ServedNode,
  warn: (sentence: string) => void,
): ApiServerConfig {
  const http = readHttpConfig(settings, TRANSPORT_OPTIONS, warn)
  const config: ApiServerConfig = {
    clientVersion,
    networkId,
    rpc: settings.all(rpcOptions),
    http,
    pipeline: readPipeline(settings, http, warn),
    enginePort: servesEngineApi ? readEnginePort(settings) : null,
    consoleNodes: settings.get(consoleOptions.nodes),
    websocket: readWebSocketConfig(settings, TRANSPORT_OPTIONS, warn),
    // Plugins send requests too.
    takesInProcess: takesInProcess || plugins.hosts.length > 0,
    limits: settings.all(limitOptions),
    userLimits: shareUserLimits(settings),
    submissions: readSubmissionRules(settings),
    subscriptions: {
      max: settings.get(websocketOptions.maxSubscriptions),
      shared: shareSubscriptions(1),
      server: 0,
    },
    chain: {
      ...readerOf(writer),
      archive: writer.archive,
      engine: writer.engine,
      hasEngineThreads: engineThreads(settings) > 0,
    },
    syncProgress: progress.memory,
    sharing: null,
    methodModules,
    devKeys,
    callLogSwitch: devKeys && shareCallLogSwitch(),
    pluginMethods: plugins.methods(),
  }
  const transports = [config.http, config.websocket, config.pipeline]
  if (transports.some((each) => each !== null) || config.takesInProcess) {
    for (const sentence of unknownLimitedUsers(settings, transports)) warn(sentence)
  }
  return config
}

/** The console authenticates and limits callers as HTTP does; a token of one is valid for the other. */
function readPipeline(
  settings: Settings,
  http: HttpConfig | null,
  warn: (sentence: string) => void,
): PipelineConfig | null {
  if (!settings.get(consoleOptions.enabled)) return null
  return {
    ...(http ?? readHttp(settings, TRANSPORT_OPTIONS, warn)),
    host: settings.get(consoleOptions.host),
    port: settings.get(consoleOptions.port),
    maxFrameBytes: settings.get(websocketOptions.maxFrameBytes),
    websocketTimeoutMs: settings.get(rpcOptions.wsTimeoutSeconds) * 1_000,
  }
}

/** As in Besu, it listens on the host of HTTP and serves ETH next to its own methods. */
function readEnginePort(settings: Settings): EnginePortConfig {
  return {
    host: settings.get(httpOptions.host),
    port: settings.get(engineOptions.port),
    apis: ['ENGINE', 'ETH'],
    maxConnections: settings.get(httpOptions.maxConnections),
    timeoutMs: settings.get(rpcOptions.httpTimeoutSeconds) * 1_000,
    streamingTimeoutMs: settings.get(rpcOptions.httpStreamingTimeoutSeconds) * 1_000,
    maxBatchSize: settings.get(httpOptions.maxBatchSize),
    maxBodyBytes: settings.get(httpOptions.maxBodyBytes),
    tls: null,
    corsOrigins: [],
    authentication: readEngineAuthentication(settings),
    hostAllowlist: settings.get(engineOptions.hostAllowlist),
  }
}

function shareUserLimits(settings: Settings): ApiServerConfig['userLimits'] {
  const limits = readUserLimits(settings.get(userLimitOptions.userLimits))
  return limits ? { limits, buckets: shareBuckets(systemRandom.randomBytes(BUCKETS_SECRET_BYTES)) } : null
}

export function engineThreads(settings: Settings): number {
  return settings.get(rpcOptions.engineThreads) ?? Math.max(1, availableParallelism() - CORES_OF_OTHERS)
}

function engineConfig(
  settings: Settings,
  { limits, userLimits, methodModules, devKeys, callLogSwitch }: ApiServerConfig,
  chain: RunningChain,
): Pick<RpcThreadsConfig, 'engines' | 'engine'> {
  const { engine } = chain.config
  const buckets = userLimits?.buckets ?? null
  const isDevelopment = devKeys !== undefined
  const reader = { ...chain.reader, archive: chain.config.archive }
  const told = { chain: reader, engine, limits, buckets, methodModules, isDevelopment, callLogSwitch }
  return { engines: engineThreads(settings), engine: () => ({ ...told, head: chain.head }) }
}

function filtersOf({ settings, chain, pool, clock }: RpcNeeds): FilterCursors {
  const limits = {
    maxActive: settings.get(limitOptions.maxActiveFilters),
    timeoutMs: settings.get(limitOptions.filterTimeoutSeconds) * 1_000,
  }
  const now = () => ({ head: chain.head, additions: pool.additionCount() })
  return new FilterCursors(limits, { clock, random: systemRandom, now })
}
