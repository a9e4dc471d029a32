import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { HISTORY_SERIES } from '#api/history-series.ts'
import { METHODS } from '#api/methods.generated.ts'
import type { ThreadResources } from '#api/resources.ts'
import { API } from '#api/served-api.ts'
import { LiveBuilding } from '#chain/build/building-settings.ts'
import { MessageDispatcher } from '#jsonrpc/dispatch/dispatch.ts'
import { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import type { Answer, CallContext, Dispatcher } from '#jsonrpc/dispatcher.ts'
import { apisOfMethods, createRegistry } from '#jsonrpc/registry/registry.ts'
import { createLivePeers, type LivePeersParts } from '#p2p/contract.ts'
import { MaintainedPeers } from '#p2p/maintained-peers.ts'
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { MetricsHistory } from '#platform/metrics/metrics-history.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { SubmissionRules } from '#pool/prepare-submission.ts'
import type { PoolSettings } from '#pool/read-settings.ts'
import { joined } from '#serve/answer-text.ts'
import { RELEASE } from '#serve/process-metrics.ts'
import type { ServiceAddress, ServiceName } from '#serve/services-contract.ts'
import { parseAddress } from '#types/address.ts'
import type { Enode } from '#types/enode.ts'
import { bftChain } from './bft-chains.ts'
import { type LocalChain, openChainResources } from './chain-resources.ts'
import { fixtureChain, openFixtureChain } from './fixture-chain.ts'
import { namesOf, permissionsOf, UNRESTRICTED } from './permissions-scenes.ts'
import type { Ask } from './play.ts'
import { pluginsOf } from './plugins-scenes.ts'

const ALL_APIS = apisOfMethods(METHODS).join()

/** The options that affect answers, with the defaults that conversations expect. */
const OPTIONS = {
  /** A chain of bft-chains.ts; by default the chain of fixture-chain.ts. */
  chain: { type: 'string' },
  /** Uses a separate chain, for conversations that write. */
  own: { type: 'boolean', default: false },
  /** Plays over a connection, which can receive notifications. */
  connected: { type: 'boolean', default: false },
  identity: { type: 'string' },
  /** A scene of permissions-scenes.ts. Without it no allowlist applies. */
  'permissions-file': { type: 'string' },
  /** A scene of plugins-scenes.ts. Without it there are no plugins. */
  plugins: { type: 'string' },
  'network-id': { type: 'string', default: '1337' },
  'rpc-http-api': { type: 'string', default: ALL_APIS },
  'rpc-http-host': { type: 'string', default: '127.0.0.1' },
  'rpc-http-port': { type: 'string', default: '8545' },
  'rpc-http-max-batch-size': { type: 'string', default: '1024' },
  'json-pretty-print-enabled': { type: 'boolean', default: false },
  'rpc-ws-enabled': { type: 'boolean', default: false },
  'rpc-ws-port': { type: 'string', default: '8546' },
  'metrics-enabled': { type: 'boolean', default: false },
  'metrics-port': { type: 'string', default: '9545' },
  'p2p-enabled': { type: 'boolean', default: false },
  'without-p2p': { type: 'boolean', default: false },
  'p2p-port': { type: 'string', default: '30303' },
  'p2p-interface': { type: 'string', default: '0.0.0.0' },
  'discovery-enabled': { type: 'string', default: 'true' },
  'target-gas-limit': { type: 'string' },
  'miner-coinbase': { type: 'string' },
  'rpc-gas-cap': { type: 'string', default: '100000000' },
  'rpc-max-logs-range': { type: 'string', default: '5000' },
  'rpc-max-logs-blocks': { type: 'string', default: '0' },
  'rpc-max-trace-filter-range': { type: 'string', default: '1000' },
  'rpc-max-active-filters': { type: 'string', default: '1000' },
  'rpc-ws-max-active-subscriptions': { type: 'string', default: '100000' },
  'strict-tx-replay-protection-enabled': { type: 'boolean', default: false },
  'tx-pool-enable-balance-check': { type: 'string', default: 'true' },
  'tx-pool-max-size': { type: 'string', default: '16384' },
  'tx-pool-limit-by-account-percentage': { type: 'string' },
} as const

const SELF_ID = 'ab'.repeat(64)
const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** The doctor's report of a node on a full disk. */
const FULL_DISK = {
  atMs: 0,
  checks: 29,
  findings: [
    {
      id: 'disk-space',
      severity: 'error' as const,
      problem: '0.2 GiB are free on the disk of /data.',
      remedy: 'Free space or enlarge the disk: a node stops when it cannot write its next block.',
    },
  ],
}

/** The resources for the methods of a node with these options, on a chain in this process. */
export function openResources(
  options: readonly string[],
  local: LocalChain,
  permissions = UNRESTRICTED,
): ThreadResources {
  const { values } = parseArgs({ args: [...options], options: OPTIONS })
  const services: { [Name in ServiceName]?: ServiceAddress } = {
    jsonrpc: { host: values['rpc-http-host'], port: Number(values['rpc-http-port']) },
  }
  const at = (port: string): ServiceAddress => ({ host: '127.0.0.1', port: Number(port) })
  if (values['rpc-ws-enabled']) services.ws = at(values['rpc-ws-port'])
  if (values['p2p-enabled']) services.p2p = at(values['p2p-port'])
  if (values['metrics-enabled']) services.metrics = at(values['metrics-port'])
  const identity = values.identity === undefined ? '' : `${values.identity}/`
  const metrics = createMetrics({ prefix: '', onSourceError: () => undefined })
  metrics.gauge(RELEASE).set(1, { version: 'cairn/v0.1.0' })
  const building = new LiveBuilding({
    targetGasLimit: values['target-gas-limit'] === undefined ? undefined : BigInt(values['target-gas-limit']),
    minGasPriceWei: 1_000n,
    minPriorityFeeWei: 0n,
    extraData: new TextEncoder().encode('cairn 0.1.0'),
  })
  return {
    node: {
      clientVersion: () => `cairn/${identity}v0.1.0/linux-x86_64/node-v24`,
      networkId: () => BigInt(values['network-id']),
      wallMs: () => systemClock.wallMs(),
    },
    ...openChainResources(
      local,
      {
        coinbase: values['miner-coinbase'] === undefined ? undefined : parseAddress(values['miner-coinbase']),
        limits: {
          gasCap: Number(values['rpc-gas-cap']),
          maxLogsRange: Number(values['rpc-max-logs-range']),
          maxLogsBlocks: Number(values['rpc-max-logs-blocks']),
          maxTraceFilterRange: Number(values['rpc-max-trace-filter-range']),
          maxRequestBytes: MAX_REQUEST_BYTES,
          estimateGasTolerance: 0.015,
          gasPriceBlocks: 100,
          gasPricePercentile: 50,
          gasPriceMax: 500_000_000_000,
          maxActiveFilters: Number(values['rpc-max-active-filters']),
          filterTimeoutSeconds: 120,
        },
        maxSubscriptions: Number(values['rpc-ws-max-active-subscriptions']),
        pool: poolSettings(values),
        submissions: submissionRules(values['strict-tx-replay-protection-enabled']),
      },
      permissions,
      {
        services: { all: () => services },
        metrics: {
          merged: () => metrics.merged(),
          history: () => new MetricsHistory(HISTORY_SERIES, metrics, systemClock, () => undefined).read(),
        },
        peers: createLivePeers({
          isEnabled: !values['without-p2p'],
          network: () =>
            values['p2p-enabled']
              ? aloneAt(values['p2p-port'], values['discovery-enabled'] === 'true')
              : undefined,
          maintained: new MaintainedPeers(
            namesOf(values['permissions-file']),
            (peer) => permissions.nodes?.permits(peer) ?? true,
          ),
        }),
        log: { setLevel: () => 'set', levels: () => ({}) },
        audit: {
          begin: () => ({ kind: 'off' }),
          end: () => undefined,
          tail: () => ({ bytes: new Uint8Array(0), isWhole: true }),
        },
        doctor: { report: () => FULL_DISK },
        plugins: pluginsOf(values.plugins),
        building,
      },
    ),
  }
}

function submissionRules(needsChainId: boolean): SubmissionRules {
  return { feeCapWei: 10n ** 18n, needsChainId, convertsBlobs: true }
}

/** A peer-to-peer network without peers. */
function aloneAt(port: string, isDiscovered: boolean): ReturnType<LivePeersParts['network']> {
  const tcpPort = Number(port) || Number(OPTIONS['p2p-port'].default)
  const udpPort = isDiscovered ? tcpPort : null
  const enode: Enode = { id: SELF_ID, host: '127.0.0.1', hostKind: 'ipv4', tcpPort, udpPort }
  const failed = { enode: { ...enode, tcpPort: 1 }, sentence: '127.0.0.1:1: nothing listens there.' }
  return {
    count: () => 0,
    all: () => [],
    self: () => ({ enode, record: 'enr:-', host: '0.0.0.0' }),
    failedDials: () => [{ ...failed, failures: 3, atMs: 0 }],
  }
}

/** The dispatcher of a node with the options that affect answers. */
export function startDispatcher(
  options: readonly string[],
  local: LocalChain,
  permissions = UNRESTRICTED,
  resources = openResources(options, local, permissions),
): Dispatcher {
  const { values } = parseArgs({ args: [...options], options: OPTIONS })
  return new MessageDispatcher({
    api: API,
    registry: createRegistry({
      methods: METHODS,
      apis: values['rpc-http-api'].split(','),
      absent: API.absentMethods,
    }),
    resources,
    limits: { maxBatchSize: Number(values['rpc-http-max-batch-size']) },
    prettyPrint: values['json-pretty-print-enabled'],
    metrics: { onCall: () => undefined, onError: () => undefined },
    // Internal errors show in the test's output; client errors do not.
    log: createLog({ level: 'ERROR' }),
    clock: systemClock,
  })
}

function poolSettings(values: {
  readonly 'tx-pool-enable-balance-check': string
  readonly 'tx-pool-max-size': string
  readonly 'tx-pool-limit-by-account-percentage'?: string | undefined
}): PoolSettings {
  const maxCount = Number(values['tx-pool-max-size'])
  const share = values['tx-pool-limit-by-account-percentage']
  return {
    maxCount,
    maxBytes: 50_000_000,
    maxGap: 200,
    maxBySender: share === undefined ? undefined : Math.ceil(Number(share) * maxCount),
    priceBump: 10,
    blobPriceBump: 100,
    minGasPriceWei: 1_000n,
    hasLocalPriority: true,
    prioritySenders: new Set(),
    checksBalance: values['tx-pool-enable-balance-check'] === 'true',
    retentionMs: 3_600_000,
  }
}

export const LOCAL_CALL: CallContext = {
  transport: 'http',
  caller: { mayCall: () => true },
  signal: new AbortController().signal,
  requestId: 'conversation',
}

/** Asks a node on the fixture chain or on the chain in the options. */
export async function askInProcess(
  options: readonly string[],
  context: CallContext = LOCAL_CALL,
): Promise<Ask> {
  const { chain = '', own, connected, ...values } = parseArgs({ args: [...options], options: OPTIONS }).values
  const permissions = await permissionsOf(values['permissions-file'])
  const local = bftChain(chain) ?? (own ? openFixtureChain() : fixtureChain())
  const dispatcher = startDispatcher(options, await local, permissions)
  if (connected) return askConnected(dispatcher)
  return async (request) => await textOf(await dispatcher.dispatch(Buffer.from(request), context))
}

/** Behaves like a WebSocket: notifications follow the response. */
export function askConnected(dispatcher: Dispatcher): Required<Ask> & Ask {
  const told = createBoundedQueue<string>({ itemsMax: MOST_TOLD })
  const connection = new Notifier({
    send: (text) => assert(told.push(joined(text))),
    onOverflow: () => assert.fail('the notification queue overflowed'),
    isBehind: () => false,
  })
  const ask = async (request: string): Promise<string> => {
    connection.hold()
    const context: CallContext = { ...LOCAL_CALL, transport: 'websocket', connection }
    const answer = await textOf(await dispatcher.dispatch(Buffer.from(request), context))
    connection.release()
    // Listeners must see each head before it moves again.
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
    return answer
  }
  return Object.assign(ask, {
    hear: () => told.take(AbortSignal.timeout(HEAR_MAX_MS)),
    unheard: () => told.size,
  })
}

const MOST_TOLD = 1_000
const TURNS = 20
const HEAR_MAX_MS = 10_000

export async function textOf(answer: Answer): Promise<string> {
  if (answer.kind === 'nothing') return ''
  if (typeof answer.body === 'string') return answer.body
  return (await Array.fromAsync(answer.body)).join('')
}
