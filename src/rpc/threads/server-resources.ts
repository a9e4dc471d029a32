/** What a server thread hands its methods: values of its own, the store it reads, and questions to main. */
import type { HeadMark } from '#chain/read/chain-view.ts'
import { type AnnouncedHead, type ChainReader, openChainReader } from '#chain/read/open-chain-reader.ts'
import { chooseBriefEngine, chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import { askContracts, type ClientsOf } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { createSignal } from '#platform/signal.ts'
import type { StarterChannel } from '#platform/thread/define-thread.ts'
import { Intake } from '#pool/intake.ts'
import { CONTRACTS } from '#rpc/contracts.ts'
import { BriefRunner } from '#rpc/dispatch/call/brief-runner.ts'
import { CallerLimits } from '#rpc/limits/call-limits.ts'
import type { HandedResources, HeadsSource } from '#rpc/resources.ts'
import type { ServerConfig } from '#rpc/settings/server-config.ts'
import { createSubscriptionMetrics } from '#rpc/subscriptions/subscription-metrics.ts'
import { SubscriptionSlots } from '#rpc/subscriptions/subscription-slots.ts'
import { Subscriptions } from '#rpc/subscriptions/subscriptions.ts'
import { EnginePool } from './engine-pool.ts'
import { SERVER_CONTRACTS } from './server-protocol.ts'
import type { SERVER } from './server-thread.ts'

export type MainChannel = StarterChannel<typeof SERVER>

export interface ServerResources {
  readonly resources: HandedResources
  /** What the server itself asks of main. */
  readonly own: ClientsOf<typeof SERVER_CONTRACTS>
  /** undefined: this thread has an engine of its own. */
  readonly engines: EnginePool | undefined
  /** What is small and need not go to them; undefined also where the engine cannot tell. */
  readonly brief: BriefRunner | undefined
  /** undefined: callers may use as much as they want. */
  readonly callLimits: CallerLimits | undefined
  readonly subscriptions: Subscriptions
  readonly heads: HeadsSource
  readonly reader: ChainReader
  /** Answers come from this head, or a later one; then who listens is told. */
  announce(head: AnnouncedHead): void
}

export async function openServerResources(
  config: ServerConfig,
  main: MainChannel,
  { clock, log, metrics }: { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
): Promise<ServerResources> {
  const own = askContracts(SERVER_CONTRACTS, main)
  const { engine, hasEngineThreads, ...chain } = config.chain
  const reader = await openChainReader(chain, await own.heads.last())
  const moved = createSignal<HeadMark>((err) => log.error('A listener to the head failed.', { err }))
  const { forks } = reader.view.genesis.config
  const heads: HeadsSource = { onMoved: (listener) => moved.subscribe(listener) }
  const live = askContracts(CONTRACTS, main)
  const { max, shared, server } = config.subscriptions
  const subscriptions = new Subscriptions({
    chain: reader.view,
    heads,
    pool: live.pool,
    slots: new SubscriptionSlots(max, shared, server),
    metrics: createSubscriptionMetrics(metrics),
    clock,
    log,
  })
  const intake = new Intake({
    chain: reader.view,
    crypto: await loadCrypto(),
    rules: config.submissions,
    admit: (submissions) => live.pool.admit(submissions, 'local'),
  })
  const callLimits = config.userLimits
    ? new CallerLimits({
        limits: config.userLimits.limits,
        shared: config.userLimits.accounts,
        clock,
        metrics,
        log,
      })
    : undefined
  const briefEngine = hasEngineThreads ? chooseBriefEngine(engine, forks) : undefined
  return {
    resources: {
      node: {
        clientVersion: () => config.clientVersion,
        networkId: () => config.networkId,
        wallMs: () => clock.wallMs(),
      },
      limits: config.limits,
      chain: reader.view,
      heads,
      intake,
      subscriptions,
      ...live,
      ...(!hasEngineThreads && { engine: await chooseEngine(engine, log, { forks, isFollower: true }) }),
    },
    own,
    engines: hasEngineThreads
      ? new EnginePool({
          clock,
          log,
          head: () => reader.announced(),
          startEngines: () => own.engines.start(),
          callLimits,
        })
      : undefined,
    callLimits,
    brief: briefEngine && new BriefRunner({ chain: reader.view, limits: config.limits }, briefEngine),
    subscriptions,
    heads,
    reader,
    announce: (head) => {
      const { sequence } = reader.announced()
      reader.announce(head)
      if (reader.announced().sequence > sequence) moved.emit(reader.announced())
    },
  }
}
