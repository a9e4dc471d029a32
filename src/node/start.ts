/**
 * The room `node` builds the rooms in floor order, hands each what it needs and stops them in reverse. It holds no
 * logic of its own: what a node does stands in the rooms.
 */
import { LiveBuilding } from '#chain/build/building-settings.ts'
import { formatOverview } from '#config/overview.ts'
import type { Settings } from '#config/settings.ts'
import { createGiveBack } from '#evm/native/give-back-memory.ts'
import { findKeyHolder } from '#node/key/held-key.ts'
import { keyForNewChain } from '#node/key/node-key.ts'
import { boundResident } from '#platform/bound-memory.ts'
import { systemClock, type Timer } from '#platform/clock.ts'
import { writeFileAtomic } from '#platform/files/files.ts'
import { createLifecycle, type Service, type StopFailure } from '#platform/lifecycle.ts'
import type { Log, RootLog } from '#platform/log/log.ts'
import type { PreparedThreads } from '#platform/thread/prepared-threads.ts'
import { Threads, type ThreadsParts } from '#platform/thread/threads.ts'
import type { PluginSet } from '#plugins/host/plugin-set.ts'
import { httpOptions, websocketOptions } from '#rpc/settings/options.ts'
import type { RpcThreads } from '#rpc/threads/rpc-threads.ts'
import { createAudit } from './audit-service.ts'
import { NodeConsensus } from './consensus-service.ts'
import { createDevService, devCoinbase } from './dev-service.ts'
import { readWriterConfig } from './ledger.ts'
import { LiveChain } from './live-chain.ts'
import { loadNetwork } from './load-genesis.ts'
import { readReporting } from './log-settings.ts'
import { addChainMetrics, createMetricsService, createNodeMetrics } from './metrics-service.ts'
import { nodeOptions } from './options.ts'
import { NodePeers } from './peers-service.ts'
import { loadPermissions, watchPermissions } from './permissions-service.ts'
import { NodePlugins } from './plugins/plugin-service.ts'
import { NodePool } from './pool-service.ts'
import { readBuilding } from './read-building.ts'
import { createRpcService, type EmbeddedRpc, type ServedNode } from './rpc-service.ts'
import { NodeSync } from './sync-service.ts'
import { prepareThreads } from './threads/prepare-threads.ts'
import { optionWarnings, validateOptions } from './validate-options.ts'
import { clientVersion } from './version.ts'

const PID_DEADLINE_MS = 5_000
const MEMORY_DEADLINE_MS = 5_000

/** What an operator wants to see in every start-up log. */
const ALWAYS_SHOWN = [
  nodeOptions.dataPath,
  nodeOptions.genesisFile,
  nodeOptions.networkId,
  httpOptions.enabled,
  websocketOptions.enabled,
]

export interface StartOptions extends EmbeddedRpc {
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** In place of --genesis-file. */
  readonly genesisText?: string
  /** Loaded, and stopped with the node, also where it does not start. */
  readonly plugins: PluginSet
  /** What the same options say now. */
  reread(): Settings
  /** Where the caller could not wait with it until this file was loaded. */
  readonly prepared?: PreparedThreads
  /** Gives the start up, whatever it waits for. */
  readonly signal?: AbortSignal
}

interface PreparedStart extends StartOptions {
  readonly prepared: PreparedThreads
}

export interface RunningNode {
  readonly chain: LiveChain
  readonly consensus: NodeConsensus
  /** undefined: nobody can call. */
  readonly rpc: RpcThreads | undefined
  /** Resolves if the node cannot go on, and is to be stopped. */
  readonly failed: Promise<Error>
  stop(): Promise<readonly StopFailure[]>
}

/** Checks the options, says what is in force and starts every room. */
export async function startNode(
  settings: Settings,
  rootLog: RootLog,
  options: StartOptions,
): Promise<RunningNode> {
  const { prepared = prepareThreads(settings) } = options
  try {
    return await startRooms(settings, rootLog, { ...options, prepared })
  } catch (error) {
    await options.plugins.stop()
    throw error
  } finally {
    prepared.end()
  }
}

async function startRooms(
  settings: Settings,
  rootLog: RootLog,
  { engine, genesisText, plugins: loaded, reread, prepared, signal, ...embedded }: PreparedStart,
): Promise<RunningNode> {
  const log = rootLog.child('node')
  checkOptions(settings, log)
  const { networkId, genesis, isDevelopment } = loadNetwork(settings, genesisText)
  const metrics = createNodeMetrics(settings, clientVersion(), log)
  const threads = createThreads(settings, { rootLog, metrics, prepared })
  const partsOf = (room: string) => ({ clock: systemClock, log: rootLog.child(room), metrics, threads })
  const plugins = new NodePlugins(loaded, settings, reread, partsOf('plugins'))
  const { signer, nodeKey } = findKeyHolder(settings, loaded, partsOf('signer'))
  const permissions = await loadPermissions(settings, partsOf('allowlist'))
  const chain = new LiveChain(readWriterConfig(settings, genesis, engine), partsOf('node'))
  // Before the chain: whoever is ended between the two must not find a chain without a key.
  keyForNewChain(settings)()
  const building = new LiveBuilding(readBuilding(settings))
  addChainMetrics(metrics, chain, building)
  const pool = new NodePool(settings, chain, {
    ...partsOf('pool'),
    building,
    mayTransact: ({ sender }) => permissions.mayTransact(sender),
    ...plugins.poolRules(),
  })
  const sync = new NodeSync(settings, chain, pool, { ...partsOf('sync'), networkId })
  const makerParts = { ...partsOf('consensus'), building, candidates: () => pool.pool }
  const told = { sync, nodeKey, ...plugins.consensusParts() }
  const consensus = new NodeConsensus(settings, genesis.genesis, chain, { ...makerParts, ...told })
  const services: ServedNode['services'] = {}
  const audit = createAudit(settings, partsOf('audit'))
  const name = clientVersion(settings.get(nodeOptions.identity))
  const peers = new NodePeers(settings, {
    ...partsOf('p2p'),
    clientVersion: name,
    modules: [sync.module()],
    protocols: consensus.peers.protocols(),
    onListening: (address) => void Object.assign(services, { p2p: address }),
    permitted: permissions.nodes,
    nodeKey,
    ...plugins.peersParts(),
  })
  const node: ServedNode = {
    clientVersion: name,
    networkId,
    services,
    chain,
    consensus,
    building,
    permissions,
    plugins,
    signer,
    peers,
    coinbase: isDevelopment ? () => devCoinbase(settings) : () => consensus.coinbase(),
    pool,
    sync,
    audit: audit.owner,
  }
  for (const line of introduction(settings, name, networkId)) log.info(line)
  const rpc = createRpcService(settings, node, partsOf('node'), embedded)
  const lifecycle = createLifecycle(systemClock, [
    chain.service(),
    plugins.registration(),
    watchPermissions(permissions),
    pool.service(),
    ...createMetricsService(settings, node, metrics, log),
    ...audit.services,
    ...(rpc ? [rpc.service] : []),
    plugins.service(node, rpc?.threads),
    ...(signer ? [signer.service()] : []),
    peers.service(),
    ...(isDevelopment
      ? [createDevService(settings, chain, { ...makerParts, added: () => pool.pool.added })]
      : consensus.services()),
    ...lastServices(settings, rpc?.service, sync),
  ])
  await lifecycle.start(signal)
  return { chain, consensus, rpc: rpc?.threads(), failed: chain.failed, stop: () => lifecycle.stop() }
}

function createThreads(settings: Settings, parts: Omit<ThreadsParts, 'clock' | 'reporting'>): Threads {
  return new Threads({ clock: systemClock, reporting: readReporting(settings), ...parts })
}

function checkOptions(settings: Settings, log: Log): void {
  validateOptions(settings)
  for (const warning of optionWarnings(settings)) log.warn(warning)
}

function introduction(settings: Settings, name: string, networkId: bigint): readonly string[] {
  return [`Starting ${name}`, `Network id ${networkId}`, ...formatOverview(settings, ALWAYS_SHOWN)]
}

function lastServices(settings: Settings, rpc: Service | undefined, sync: NodeSync): readonly Service[] {
  return [...createPidFile(settings), createMemoryBound(), ...(rpc ? [closeToClients(rpc, sync)] : [])]
}

/**
 * Ends first what began long before: a transaction that is taken when the peers are gone is told to nobody, and lost. When
 * main hears from the thread of peers again, it has told them of all that came before.
 */
function closeToClients(rpc: Service, sync: NodeSync): Service {
  return {
    name: 'clients',
    startDeadlineMs: MEMORY_DEADLINE_MS,
    stopDeadlineMs: rpc.stopDeadlineMs,
    start: () => undefined,
    stop: async (signal) => {
      await rpc.stop(signal)
      await sync.progress()
    },
  }
}

function createMemoryBound(): Service {
  let bound: Timer | undefined
  return {
    name: 'memory',
    startDeadlineMs: MEMORY_DEADLINE_MS,
    stopDeadlineMs: MEMORY_DEADLINE_MS,
    start: () => {
      bound = boundResident(systemClock, createGiveBack())
    },
    stop: () => bound?.cancel(),
  }
}

function createPidFile(settings: Settings): Service[] {
  const path = settings.get(nodeOptions.pidPath)
  if (path === undefined) return []
  return [
    {
      name: 'pid file',
      startDeadlineMs: PID_DEADLINE_MS,
      stopDeadlineMs: PID_DEADLINE_MS,
      start: () => writeFileAtomic(path, `${process.pid}`),
      stop: () => {},
    },
  ]
}
