/**
 * The room `node` starts the rooms in floor order, passes each its needs and stops them in reverse. It has no logic of
 * its own.
 */
import { createLiveAllowlist } from '#allowlist/contract.ts'
import { loadPermissions, WATCHED_PERMISSIONS } from '#allowlist/load-permissions.ts'
import { type LiveDoctor, NO_DOCTOR } from '#api/doctor-contract.ts'
import { HISTORY_SERIES } from '#api/history-series.ts'
import { httpOptions, websocketOptions } from '#api/options.ts'
import { CLIENTS, type EmbeddedRpc, RPC_ROOM, readServerConfig } from '#api/threads/rpc-room.ts'
import type { RpcThreads } from '#api/threads/rpc-threads.ts'
import { LiveBuilding } from '#chain/build/building-settings.ts'
import { CHAIN, type RunningChain } from '#chain/start-chain.ts'
import { dataOptions } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import { formatOverview } from '#config/settings.ts'
import type { Report } from '#consensus/bft/events.ts'
import { type BlockProducer, CONSENSUS_ROOM } from '#consensus/consensus-room.ts'
import { CONSENSUS } from '#consensus/contract.ts'
import { DEV_NETWORK, type DevNetwork, logDevAccounts } from '#consensus/dev/dev-room.ts'
import { consensusOptions } from '#consensus/options.ts'
import { BftPeers } from '#consensus/peers/bft-peers.ts'
import { MetPeers } from '#consensus/peers/met-peers.ts'
import { FORKCHOICE } from '#engine-api/contract.ts'
import { ENGINE_API } from '#engine-api/engine-api-room.ts'
import type { ForkChooser } from '#engine-api/fork-chooser.ts'
import { servesEngineApi } from '#engine-api/require-stake.ts'
import { createGiveBack } from '#evm/native/give-back-memory.ts'
import { AUDIT_LOG } from '#jsonrpc/audit/audit-room.ts'
import { rpcOptions } from '#jsonrpc/settings/options.ts'
import { keyHolderOf } from '#p2p/key/held-key.ts'
import { keyForNewChain } from '#p2p/key/key-file.ts'
import { NodePeers, PEERS_ROOM } from '#p2p/node-peers.ts'
import { type RunningSigner, readSignerConfig, SIGNER } from '#p2p/signer/start-signer.ts'
import { boundResident } from '#platform/bound-memory.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { ownerWhen } from '#platform/contract.ts'
import { writeFileAtomic } from '#platform/files/files.ts'
import type { Log, RootLog } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { MetricsHistory } from '#platform/metrics/metrics-history.ts'
import { defineRoom, Later, Lifecycle, type Room, type StopFailure } from '#platform/room.ts'
import type { PreparedThreads } from '#platform/thread/thread.ts'
import { Threads } from '#platform/thread/threads.ts'
import { NodePlugins, REGISTERED_PLUGINS, STARTED_PLUGINS } from '#plugins/host/node-plugins.ts'
import type { PluginSet } from '#plugins/host/plugin-set.ts'
import { createPluginSigner } from '#plugins/host/signer.ts'
import { POOL_ROOM } from '#pool/start-pool.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'
import { type HealthFacts, shareFacts } from '#serve/health.ts'
import { createProcessMetrics, METRICS_ENDPOINT } from '#serve/process-metrics.ts'
import { RunningServices } from '#serve/services-contract.ts'
import { NodeSync } from '#sync/node-sync.ts'
import { SharedProgress } from '#sync/sync-progress.ts'
import type { Address } from '#types/address.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import type { Hash } from '#types/hash.ts'
import { createLiveDev, settleOnDevChain } from './dev-chain.ts'
import { readWriterConfig } from './ledger.ts'
import { loadNetwork } from './load-genesis.ts'
import { NODE_PROBLEMS } from './log-problems.ts'
import { readReporting } from './log-settings.ts'
import { nodeOptions } from './options.ts'
import { readBuilding } from './read-building.ts'
import { prepareRehearsal } from './rehearsal.ts'
import { plansOnMain, prepareThreads } from './threads/prepare-threads.ts'
import { listsNotInForce, optionWarnings, validateOptions } from './validate-options.ts'
import { clientVersion } from './version.ts'

const DEADLINES = { startDeadlineMs: 5_000, stopDeadlineMs: 5_000 }

const ALWAYS_SHOWN = [
  dataOptions.dataPath,
  nodeOptions.genesisFile,
  nodeOptions.networkId,
  httpOptions.enabled,
  websocketOptions.enabled,
]

export interface StartOptions extends EmbeddedRpc {
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** Replaces --genesis-file. */
  readonly genesisText?: string
  /** Loaded by the caller. They stop with the node, even if it does not start. */
  readonly plugins: PluginSet
  /** Reads the same options again. */
  reread(): Settings
  /** Runs the checks of `cairn doctor`; an embedded node has none. */
  readonly doctor?: Room<{ readonly clock: Clock; readonly log: Log }, LiveDoctor>
  /** Given by a caller that prepared the threads while this file was loading. */
  readonly prepared?: PreparedThreads
  /** Cancels the start. */
  readonly signal?: AbortSignal
}

export interface RunningNode {
  readonly chain: RunningChain
  readonly consensus: BlockProducer
  /** Undefined if no option enables JSON-RPC. */
  readonly rpc: RpcThreads | undefined
  /** Resolves if the node cannot continue and must be stopped. */
  readonly failed: Promise<Error>
  stop(): Promise<readonly StopFailure[]>
}

/** Checks the options, logs those in force and starts every room. */
export async function startNode(
  settings: Settings,
  rootLog: RootLog,
  options: StartOptions,
): Promise<RunningNode> {
  const { prepared = prepareThreads(settings, options.takesInProcess) } = options
  const rooms = new Lifecycle(systemClock, options.signal)
  try {
    const node = await prepareNode(settings, rootLog, { ...options, prepared })
    return { ...(await startRooms(node, rooms)), stop: () => rooms.stop() }
  } catch (error) {
    await rooms.stop()
    await options.plugins.stop()
    throw error
  } finally {
    prepared.end()
  }
}

type PreparedNode = Awaited<ReturnType<typeof prepareNode>>

/** Finds mistakes in options and files before anything is opened. */
async function prepareNode(
  settings: Settings,
  rootLog: RootLog,
  { engine, genesisText, plugins: set, reread, doctor, prepared, signal, ...embedded }: StartOptions,
) {
  const log = rootLog.child('node')
  validateOptions(settings)
  const warn = (reason: string): void => log.warn(NODE_PROBLEMS.configuration, { reason })
  for (const reason of [...optionWarnings(settings), ...listsNotInForce(settings)]) warn(reason)
  const network = loadNetwork(settings, genesisText)
  const { networkId, genesis, devAccounts } = network
  // First, because a copy needs an empty directory and contains the permissions file.
  const copied = await prepareRehearsal(settings, genesis.genesis, log, signal)
  const metrics = createProcessMetrics(settings, clientVersion(), log)
  const threads = new Threads({
    clock: systemClock,
    reporting: readReporting(settings),
    rootLog,
    metrics,
    here: plansOnMain(settings),
    ...(prepared && { prepared }),
  })
  const partsOf = (room: string) => ({
    settings,
    clock: systemClock,
    log: rootLog.child(room),
    metrics,
    threads,
  })
  const rpc = new Later<RpcThreads>('JSON-RPC')
  const plugins = new NodePlugins(set, { ...partsOf('plugins'), reread, rpc })
  const signerConfig = readSignerConfig(settings)
  const permissions = await loadPermissions(settings, partsOf('allowlist'))
  const ownWriter = readWriterConfig(settings, network, engine)
  const writer = { ...ownWriter, ledger: { ...ownWriter.ledger, ...copied } }
  // The key comes before the chain, so a node killed in between never has a chain without a key.
  keyForNewChain(settings)()
  const building = new LiveBuilding(readBuilding(settings))
  const name = clientVersion(settings.get(nodeOptions.identity))
  log.info('Starting node', { version: name, networkId: String(networkId) })
  for (const option of formatOverview(settings, ALWAYS_SHOWN)) log.info('Option in effect', { option })
  const progress = new SharedProgress()
  const servesEngine = servesEngineApi(settings, genesis.genesis, {
    isDevelopment: devAccounts !== undefined,
    warn,
  })
  const keys = devAccounts?.map(({ privateKey }) => privateKey)
  const served = {
    ...embedded,
    clientVersion: servedVersion(settings, name, devAccounts !== undefined),
    networkId,
    writer,
    plugins: set,
    progress,
    devKeys: keys,
    servesEngineApi: servesEngine,
  }
  return {
    ...{ settings, log, networkId, genesis: genesis.genesis, devAccounts, metrics, threads, partsOf, rpc },
    ...{ plugins, signerConfig, permissions, writer, building, name, doctor },
    services: new RunningServices(),
    progress,
    servesEngine,
    server: readServerConfig(settings, served, warn),
  }
}

/** Tools for development chains only work with the names of those they know. */
function servedVersion(settings: Settings, name: string, isDevelopment: boolean): string {
  const other = settings.get(consensusOptions.devIdentifyAs)
  if (!isDevelopment || other === undefined) return name
  return `${other === 'ANVIL' ? 'anvil' : 'HardhatNetwork'}/${name}`
}

/**
 * Starts the rooms in floor order; each gets the rooms before it. `Later` stands for rooms that start after their
 * callers.
 */
async function startRooms(node: PreparedNode, rooms: Lifecycle): Promise<Omit<RunningNode, 'stop'>> {
  const { settings, building, permissions, plugins, partsOf, services } = node
  const chain = await rooms.start(CHAIN, { ...partsOf('node'), config: node.writer, building })
  await rooms.start(REGISTERED_PLUGINS, plugins)
  await rooms.start(WATCHED_PERMISSIONS, permissions)
  const late: LateRooms = {
    consensus: new Later('consensus'),
    signer: new Later('the signer'),
    dev: new Later('the development network'),
    engineApi: new Later('the Engine API'),
  }
  const devChain = { dev: late.dev, rpc: node.rpc, chain, clock: systemClock }
  const { pool, live } = await rooms.start(POOL_ROOM, {
    ...partsOf('pool'),
    judgeAdmission: plugins.judgeAdmission(),
    judgeCandidates: plugins.judgeCandidates(),
    chain,
    building,
    mayTransact: ({ sender }) => permissions.mayTransact(sender),
    // There, evm_revert undoes transactions.
    forgetsRemoved: node.devAccounts !== undefined,
    settled: node.devAccounts ? settleOnDevChain(devChain) : undefined,
  })
  const hostAllowlist = settings.get(rpcOptions.hostAllowlist)
  services.add('metrics', await rooms.start(METRICS_ENDPOINT, { ...partsOf('node'), hostAllowlist }))
  const audit = await rooms.start(AUDIT_LOG, partsOf('audit'))
  const met = new MetPeers(systemClock)
  const { networkId, progress } = node
  const takesBlocks = !node.servesEngine
  const sync = new NodeSync(settings, chain, pool, {
    ...partsOf('sync'),
    networkId,
    takesBlocks,
    offerBranch: async (head, blocks) => (await late.engineApi.now?.takeBranch(head, blocks)) ?? false,
    refuseBranch: (head, sentence) => late.engineApi.now?.refuseBranch(head, sentence),
    met,
    participants: (height) => late.consensus.now?.participants(height) ?? [],
    progress,
  })
  const base = {
    chain,
    pool,
    sync,
    met,
    peers: new NodePeers(settings, permissions.nodes, partsOf('p2p').log),
  }
  const history = await rooms.start(METRICS_HISTORY, partsOf('metrics'))
  const owners = {
    ...liveOwners(node, base, late),
    metrics: { merged: () => node.metrics.merged(), history: () => history.read() },
    doctor: node.doctor ? await rooms.start(node.doctor, partsOf('doctor')) : NO_DOCTOR,
    pool: live,
    audit,
    dev: createLiveDev({ ...devChain, pool }),
  }
  const rpc = await rooms.start(RPC_ROOM, { ...partsOf('node'), config: node.server, chain, pool, owners })
  if (rpc !== undefined) node.rpc.arrive(rpc)
  services.add('jsonrpc', rpc?.addresses.http)
  services.add('ws', rpc?.addresses.websocket)
  const told = { pool, peers: () => base.peers.reports(), progress: () => sync.progress() }
  await rooms.start(STARTED_PLUGINS, { plugins, told })
  const consensus = await startProduction(node, rooms, base, late)
  await rooms.start(PID_FILE, settings.get(nodeOptions.pidPath))
  await rooms.start(MEMORY_BOUND, undefined)
  if (node.devAccounts) {
    logDevAccounts(node.devAccounts, node.genesis, rpc?.addresses, partsOf('consensus').log)
  }
  // Last, because the last room stops first: a transaction that arrives after the peers have left would be lost.
  await rooms.start(CLIENTS, { rpc, announced: () => sync.flushed() })
  return { chain, consensus, rpc, failed: chain.failed }
}

interface BaseRooms {
  readonly chain: RunningChain
  readonly pool: TransactionPool
  readonly sync: NodeSync
  readonly met: MetPeers
  readonly peers: NodePeers
}

/** Rooms that start after JSON-RPC, whose methods call them. */
interface LateRooms {
  readonly consensus: Later<BlockProducer>
  readonly signer: Later<RunningSigner>
  /** Never arrives on other networks. */
  readonly dev: Later<DevNetwork>
  /** Never arrives without a consensus client. */
  readonly engineApi: Later<ForkChooser>
}

/** Starts the node's key, its peers and consensus. */
async function startProduction(
  { settings, genesis, building, plugins, partsOf, ...node }: PreparedNode,
  rooms: Lifecycle,
  { chain, pool, sync, met, peers }: BaseRooms,
  late: LateRooms,
): Promise<BlockProducer> {
  if (node.signerConfig !== undefined) {
    late.signer.arrive(await rooms.start(SIGNER, { ...partsOf('signer'), config: node.signerConfig }))
  }
  const pluginSigner = (name: string) => createPluginSigner(plugins.set, name)
  const nodeKey = keyHolderOf(settings, { signer: late.signer.now, pluginSigner })
  const validators = new BftPeers(votingProtocols(genesis.config.consensus), met)
  const listening = await rooms.start(PEERS_ROOM, {
    ...partsOf('p2p'),
    mayConnect: plugins.mayConnect(),
    peers,
    clientVersion: node.name,
    modules: [sync.module()],
    protocols: validators.protocols(),
    nodeKey,
  })
  node.services.add('p2p', listening)
  const making = { ...partsOf('consensus'), chain, building, candidates: pool, genesis }
  const onReport = (report: Report) => plugins.roundReported(report)
  const expectPeers = (addresses: readonly Address[]) => peers.expect(addresses)
  const voting = { ...making, onReport, expectPeers, sync, peers: validators, nodeKey }
  if (node.devAccounts !== undefined) late.dev.arrive(await rooms.start(DEV_NETWORK, making))
  const producer = late.dev.now ?? (await rooms.start(CONSENSUS_ROOM, voting))
  late.consensus.arrive(producer)
  if (node.servesEngine)
    late.engineApi.arrive(await rooms.start(ENGINE_API, { ...making, ...partsOf('engine'), sync }))
  return producer
}

/** The objects on the main thread that methods call, by contract. */
function liveOwners(
  { services, threads, building, permissions, plugins }: PreparedNode,
  { chain, sync, peers }: BaseRooms,
  late: LateRooms,
) {
  return {
    services,
    peers: peers.live,
    log: threads,
    writer: {
      setHead: async (hash: Hash) => {
        const sentence = hash === chain.head.hash ? undefined : late.consensus.now?.refusalToGoBack()
        return sentence === undefined ? chain.setHead(hash) : { ok: false as const, sentence }
      },
      badBlocks: () => chain.writer.badBlocks(),
    },
    building,
    allowlist: createLiveAllowlist(permissions),
    plugins,
    consensus: ownerWhen(CONSENSUS, () => late.consensus.get().live),
    forkchoice: ownerWhen(FORKCHOICE, () => late.engineApi.get()),
    health: { facts: shareFacts(() => healthFacts(peers, sync, plugins, late), systemClock) },
  }
}

async function healthFacts(
  peers: NodePeers,
  sync: NodeSync,
  plugins: NodePlugins,
  { consensus, signer }: LateRooms,
): Promise<HealthFacts> {
  const count = (await peers.live.count()) ?? null
  const progress = sync.progress()
  return {
    peers: count,
    // Besu omits it too if there is no peer to sync with.
    blocksBehind: progress === undefined ? null : progress.highestBlock - progress.currentBlock,
    stalled: consensus.now?.stall()?.cause ?? null,
    abstains: (await consensus.now?.abstention((count ?? 0) > 0)) ?? null,
    signer: signer.now?.failure ?? null,
    failing: await plugins.set.failing(),
  }
}

const METRICS_HISTORY = defineRoom({
  ...DEADLINES,
  name: 'metrics history',
  start: ({ metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Log }, { onStop }) => {
    const history = new MetricsHistory(HISTORY_SERIES, metrics, clock, (err) =>
      log.debug('Failed to sample metrics', { err }),
    )
    onStop(history.start())
    return history
  },
})

const MEMORY_BOUND = defineRoom({
  ...DEADLINES,
  name: 'memory',
  start: (_: undefined, { onStop }) => {
    const bound = boundResident(systemClock, createGiveBack())
    onStop(() => bound.cancel())
  },
})

const PID_FILE = defineRoom({
  ...DEADLINES,
  name: 'pid file',
  start: (path: string | undefined) => {
    if (path !== undefined) writeFileAtomic(path, `${process.pid}`)
  },
})
