import { availableParallelism } from 'node:os'
import { createLiveAllowlist } from '#allowlist/contract.ts'
import type { Permissions } from '#allowlist/permissions.ts'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { LiveWriter } from '#chain/contract.ts'
import type { Settings } from '#config/settings.ts'
import { createLiveConsensus } from '#consensus/contract.ts'
import type { NodeSigner } from '#node/key/signer-service.ts'
import { createLivePeers } from '#p2p/contract.ts'
import type { Clock } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { systemRandom } from '#platform/random.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { createLivePool } from '#pool/contract.ts'
import { readSubmissionRules } from '#pool/read-settings.ts'
import { createLoginLimit } from '#rpc/auth/login-limit.ts'
import type { LiveOwners } from '#rpc/contracts.ts'
import { FilterCursors } from '#rpc/filters/filter-cursors.ts'
import { createLiveFilters, type LiveFilters } from '#rpc/filters/filters-contract.ts'
import { shareAccounts } from '#rpc/limits/shared-accounts.ts'
import { readUserLimits } from '#rpc/limits/user-limits.ts'
import { limitOptions, rpcOptions, websocketOptions } from '#rpc/settings/options.ts'
import {
  readHttpConfig,
  readRequestLimits,
  readWebSocketConfig,
  unknownLimitedUsers,
} from '#rpc/settings/read-config.ts'
import type { ServedChain, ServerConfig } from '#rpc/settings/server-config.ts'
import { shareSubscriptions } from '#rpc/subscriptions/subscription-slots.ts'
import { RpcThreads, type RpcThreadsConfig } from '#rpc/threads/rpc-threads.ts'
import type { MainOwners } from '#rpc/threads/server-protocol.ts'
import { shareOut } from '#rpc/threads/share-ports.ts'
import { shareFacts } from '#serve/health.ts'
import type { Services } from '#serve/services-contract.ts'
import type { SyncProgress } from '#sync/catch-up/catch-up.ts'
import type { Address } from '#types/address.ts'
import type { NodeConsensus } from './consensus-service.ts'
import type { LiveChain } from './live-chain.ts'
import type { NodePeers } from './peers-service.ts'
import type { NodePlugins } from './plugins/plugin-service.ts'
import type { NodePool } from './pool-service.ts'
import type { NodeSync } from './sync-service.ts'

/** Longer than a thread may take to start, so that its sentence is the one that is read. */
const START_DEADLINE_MS = 90_000
/** Draining takes five seconds at most; the rest is for a busy machine. */
const STOP_DEADLINE_MS = 10_000
/** For p2p and consensus on main, and for the writer. */
const CORES_OF_OTHERS = 2
const ACCOUNTS_SECRET_BYTES = 32

/** What a server is told of the node it serves. */
export interface ServedNode {
  readonly clientVersion: string
  readonly networkId: bigint
  /** Filled by whoever starts a service, read by net_services. */
  readonly services: Record<string, Services[keyof Services]>
  readonly chain: LiveChain
  readonly consensus: Pick<NodeConsensus, 'votes' | 'status' | 'stall' | 'abstention' | 'refusalToGoBack'>
  readonly building: LiveBuilding
  readonly permissions: Permissions
  readonly plugins: Pick<NodePlugins, 'set' | 'reload' | 'call' | 'options'>
  readonly signer: Pick<NodeSigner, 'failure'> | undefined
  readonly peers: NodePeers
  /** Who is named in the blocks of this node; undefined: it makes none. */
  readonly coinbase: () => Address | undefined
  readonly pool: Pick<NodePool, 'pool' | 'kept'>
  readonly sync: Pick<NodeSync, 'progress'>
  readonly audit: LiveOwners['audit']
}

export interface RpcServiceParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly threads: Threads
}

/** What only a node inside another program, or a test, asks for. */
export interface EmbeddedRpc {
  /** Whether requests come without a socket, from the program that the node is part of. */
  readonly takesInProcess?: boolean
  /** Modules with methods from outside the package; declareOutsideMethods was told of them. */
  readonly methodModules?: readonly string[]
}

/** JSON-RPC in threads of its own; undefined when there is no way to call it. */
export function createRpcService(
  settings: Settings,
  node: ServedNode,
  parts: RpcServiceParts,
  embedded: EmbeddedRpc = {},
): { readonly service: Service; readonly threads: () => RpcThreads } | undefined {
  const warn = (sentence: string) => parts.log.warn(sentence)
  const config = readServerConfig(settings, node, warn, embedded)
  if (config.http === null && config.websocket === null && !config.takesInProcess) return undefined
  for (const sentence of unknownLimitedUsers(settings, [config.http, config.websocket])) warn(sentence)
  let threads: RpcThreads | undefined
  const owners = createMainOwners(settings, node, parts, () => threads)
  const start = async (): Promise<void> => {
    const servers = await shareOut(config, settings.get(rpcOptions.threads), warn)
    threads = new RpcThreads({ servers, ...engineConfig(settings, config, node) }, { ...parts, owners })
    await threads.start()
    const { http, websocket } = threads.addresses
    if (http) {
      node.services.jsonrpc = http
      parts.log.info(`JSON-RPC service started and listening on ${http.host}:${http.port}`)
    }
    if (websocket) {
      node.services.ws = websocket
      parts.log.info(`Websocket service started and listening on ${websocket.host}:${websocket.port}`)
    }
  }
  return {
    service: {
      name: 'JSON-RPC',
      startDeadlineMs: START_DEADLINE_MS,
      stopDeadlineMs: 2 * STOP_DEADLINE_MS,
      start,
      stop: async () => {
        await threads?.stop(STOP_DEADLINE_MS)
      },
    },
    threads: () => threads!,
  }
}

function readServerConfig(
  settings: Settings,
  { clientVersion, networkId, chain, plugins }: ServedNode,
  warn: (sentence: string) => void,
  { takesInProcess = false, methodModules = [] }: EmbeddedRpc,
): ServerConfig {
  return {
    clientVersion,
    networkId,
    hostAllowlist: settings.get(rpcOptions.hostAllowlist),
    prettyPrint: settings.get(rpcOptions.prettyPrint),
    http: readHttpConfig(settings, warn),
    websocket: readWebSocketConfig(settings, warn),
    // Plugins ask too.
    takesInProcess: takesInProcess || plugins.set.hosts.length > 0,
    limits: readRequestLimits(settings),
    userLimits: shareUserLimits(settings),
    submissions: readSubmissionRules(settings),
    subscriptions: {
      max: settings.get(websocketOptions.maxSubscriptions),
      shared: shareSubscriptions(1),
      server: 0,
    },
    chain: servedChain(settings, chain),
    sharing: null,
    methodModules,
    pluginMethods: plugins.set.methods(),
  }
}

function shareUserLimits(settings: Settings): ServerConfig['userLimits'] {
  const limits = readUserLimits(settings.get(limitOptions.userLimits))
  return limits ? { limits, accounts: shareAccounts(systemRandom.randomBytes(ACCOUNTS_SECRET_BYTES)) } : null
}

function readerConfig({ config: { genesisText, path, historyBlocks } }: LiveChain) {
  return { genesisText, path, historyBlocks }
}

export function engineThreads(settings: Settings): number {
  return settings.get(rpcOptions.engineThreads) ?? Math.max(1, availableParallelism() - CORES_OF_OTHERS)
}

function servedChain(settings: Settings, chain: LiveChain): ServedChain {
  const hasEngineThreads = engineThreads(settings) > 0
  return { ...readerConfig(chain), engine: chain.config.engine, hasEngineThreads }
}

function engineConfig(
  settings: Settings,
  { limits, userLimits, methodModules }: ServerConfig,
  { chain }: ServedNode,
): Pick<RpcThreadsConfig, 'engines' | 'engine'> {
  const { engine } = chain.config
  const accounts = userLimits?.accounts ?? null
  const told = { chain: readerConfig(chain), engine, limits, accounts, methodModules }
  return { engines: engineThreads(settings), engine: () => ({ ...told, head: chain.head }) }
}

function createMainOwners(
  settings: Settings,
  node: ServedNode,
  { clock, metrics, threads: nodeThreads }: RpcServiceParts,
  threads: () => RpcThreads | undefined,
): MainOwners {
  const { services, chain, consensus, building, permissions, plugins, signer, peers, sync, audit } = node
  const { coinbase, pool } = node
  const logins = createLoginLimit(clock, settings.get(rpcOptions.loginAttempts))
  return {
    services: { all: () => services },
    sync: { progress: () => sync.progress() },
    metrics,
    peers: createLivePeers({
      isEnabled: peers.isEnabled,
      network: () => peers.open?.ports.peers,
      maintained: peers.maintained,
    }),
    log: nodeThreads,
    audit,
    writer: liveWriter(node),
    filters: liveFilters(settings, node, clock),
    building,
    allowlist: createLiveAllowlist(permissions),
    plugins,
    consensus: createLiveConsensus(consensus.votes, { status: () => consensus.status(), coinbase }),
    pool: createLivePool(() => pool.pool, pool.kept),
    logins: { admit: (remoteAddress) => logins.admit(remoteAddress) },
    health: {
      facts: shareFacts(async () => {
        const count = peers.isEnabled ? ((await peers.open?.ports.peers.count()) ?? 0) : null
        return {
          peers: count,
          blocksBehind: blocksBehind(await sync.progress()),
          stalled: consensus.stall()?.cause ?? null,
          abstains: (await consensus.abstention((count ?? 0) > 0)) ?? null,
          signer: signer?.failure ?? null,
          failing: await plugins.set.failing(),
        }
      }, clock),
    },
    heads: { last: () => chain.head },
    engines: { start: async () => await threads()?.startEngines() },
  }
}

function liveWriter({ chain, consensus }: ServedNode): LiveWriter {
  return {
    setHead: async (hash) => {
      const sentence = hash === chain.head.hash ? undefined : consensus.refusalToGoBack()
      return sentence === undefined ? chain.setHead(hash) : { ok: false, sentence }
    },
    badBlocks: () => chain.writer.badBlocks(),
  }
}

function liveFilters(settings: Settings, { chain, pool }: ServedNode, clock: Clock): LiveFilters {
  const limits = {
    maxActive: settings.get(limitOptions.maxActiveFilters),
    timeoutMs: settings.get(limitOptions.filterTimeoutSeconds) * 1_000,
  }
  return createLiveFilters(new FilterCursors(limits, clock, systemRandom), () => ({
    head: chain.head,
    additions: pool.pool.additionCount(),
  }))
}

/** As Besu, who catches up with nobody says nothing of it. */
function blocksBehind(progress: SyncProgress | undefined): number | null {
  return progress === undefined ? null : progress.highestBlock - progress.currentBlock
}
