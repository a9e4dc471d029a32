/** The resources of a server thread: its own values, the store it reads, and contracts of main. */
import { CONTRACTS } from '#api/contracts.ts'
import { createFiller, type FillingEngines } from '#api/dev/fill-transaction.ts'
import { openWallet } from '#api/dev/wallet.ts'
import { BriefRunner } from '#api/engine/brief-runner.ts'
import type { HeadsSource, Resources, ThreadResources } from '#api/resources.ts'
import { createEthSubscriptions } from '#api/subscriptions/subscription-sources.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { type AnnouncedHead, openChainReader } from '#chain/read/open-chain-reader.ts'
import { chooseBriefEngine, chooseEngine } from '#evm/choose-engine.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { CallerLimits } from '#jsonrpc/limits/call-limits.ts'
import { SubscriptionSlots } from '#jsonrpc/subscriptions/subscription-slots.ts'
import { createSubscriptionMetrics } from '#jsonrpc/subscriptions/subscriptions.ts'
import { EnginePool } from '#jsonrpc/threads/engine-pool.ts'
import type { Clock } from '#platform/clock.ts'
import { askContracts } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { createSignal } from '#platform/signal.ts'
import type { StarterChannel } from '#platform/thread/define-thread.ts'
import { Intake } from '#pool/intake.ts'
import { SharedProgress } from '#sync/sync-progress.ts'
import { openCallLog } from './open-call-log.ts'
import { SERVER_CONTRACTS } from './server-protocol.ts'
import type { ApiServerConfig, SERVER } from './server-thread.ts'

export type MainChannel = StarterChannel<typeof SERVER>

export type ServerResources = Awaited<ReturnType<typeof openServerResources>>

export async function openServerResources(
  config: ApiServerConfig,
  main: MainChannel,
  { clock, log, metrics }: { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
) {
  const own = askContracts(SERVER_CONTRACTS, main)
  const { engine, hasEngineThreads, ...chain } = config.chain
  const reader = await openChainReader(chain, await own.heads.last())
  const moved = createSignal<HeadMark>((err) =>
    log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'head', err }),
  )
  const { forks } = reader.view.genesis.config
  const heads: HeadsSource = { onMoved: (listener) => moved.subscribe(listener) }
  const live = askContracts(CONTRACTS, main)
  const subscriptions = createEthSubscriptions({
    chain: reader.view,
    heads,
    pool: live.pool,
    slots: new SubscriptionSlots(config.subscriptions),
    metrics: createSubscriptionMetrics(metrics),
    clock,
    log,
  })
  const crypto = await loadCrypto()
  const intake = new Intake({
    chain: reader.view,
    crypto,
    rules: config.submissions,
    admit: (submissions) => live.pool.admit(submissions, 'local'),
  })
  const callLimits = callerLimitsOf(config, { clock, log, metrics })
  const briefEngine = hasEngineThreads ? chooseBriefEngine(engine, forks) : undefined
  /** The resources of methods that need an engine. */
  const reading = {
    limits: config.limits,
    chain: reader.view,
    ...(await openCallLog(config.callLogSwitch, log)),
  }
  const resources = {
    node: {
      clientVersion: () => config.clientVersion,
      networkId: () => config.networkId,
      wallMs: () => clock.wallMs(),
    },
    ...reading,
    sync: new SharedProgress(config.syncProgress),
    heads,
    intake,
    subscriptions,
    ...live,
    ...(!hasEngineThreads && { engine: await chooseEngine(engine, log, { forks, isFollower: true }) }),
  } satisfies ThreadResources
  const engines = hasEngineThreads
    ? new EnginePool({
        clock,
        log,
        head: () => reader.announced(),
        startEngines: () => own.engines.start(),
        callLimits,
      })
    : undefined
  const brief = briefEngine && new BriefRunner(reading, briefEngine)
  return {
    resources: {
      ...resources,
      ...devResources(config, resources, engines && { brief, remote: engines }, crypto),
    } satisfies ThreadResources,
    /** What the server itself asks of main. */
    own,
    /** Undefined if this thread has its own engine. */
    engines,
    callLimits,
    /** Undefined if this thread has its own engine, or the engine cannot limit calls. */
    brief,
    subscriptions,
    heads,
    reader,
    /** Answers come from this head or a later one before listeners are called. */
    announce: (head: AnnouncedHead) => {
      const { sequence } = reader.announced()
      reader.announce(head)
      if (reader.announced().sequence > sequence) moved.emit(reader.announced())
    },
  }
}

/** Nothing on other networks. */
function devResources(
  { devKeys }: ApiServerConfig,
  resources: ThreadResources,
  engines: FillingEngines | undefined,
  crypto: Crypto,
): Partial<Pick<Resources, 'wallet' | 'fill'>> {
  if (devKeys === undefined) return {}
  return { wallet: openWallet(devKeys, crypto), fill: createFiller(resources, engines) }
}

/** Undefined if callers have no limits. */
function callerLimitsOf(
  { userLimits }: ApiServerConfig,
  parts: { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
): CallerLimits | undefined {
  if (userLimits === null) return undefined
  const { limits, buckets: shared } = userLimits
  return new CallerLimits({ limits, shared, ...parts })
}
