import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { Engine } from '#evm/engine.ts'
import type { Intake } from '#pool/intake.ts'
import type { Connection } from '#rpc/dispatch/dispatcher.ts'
import type { Subscriptions } from '#rpc/subscriptions/subscriptions.ts'
import type { Live } from './contracts.ts'
import type { Method } from './define-method.ts'

/**
 * What methods may ask for by `needs`. A method runs on the server thread that holds the socket: what was settled when
 * the node started, or is read there, stands here; objects on main are asked by the contracts of their rooms (contracts.ts). A method that needs
 * 'engine' runs on an engine thread, which has the rows marked so.
 */
export interface Resources extends Live {
  readonly node: NodeFacts
  readonly apis: EnabledApis
  /** What is stored, read on the thread that asks; on engine threads too. */
  readonly chain: ChainView
  /** On engine threads only. */
  readonly engine: Engine
  /** Limits that the operator set for requests; on engine threads too. */
  readonly limits: RequestLimits
  /** Takes transactions to the pool. */
  readonly intake: Pick<Intake, 'submit'>
  /** Tells of heads when `chain` answers from them. */
  readonly heads: HeadsSource
  /** Of this server. */
  readonly subscriptions: Pick<Subscriptions, 'open' | 'close'>
  /** Of the client that calls; without one the method is refused. On the thread that has the socket. */
  readonly connection: Connection
}

/** What an engine thread has. A method that needs 'engine' and more resolves the rest before it goes there. */
export const ENGINE_THREAD_RESOURCES = [
  'chain',
  'engine',
  'limits',
] as const satisfies readonly (keyof Resources)[]

export type EngineThreadResource = (typeof ENGINE_THREAD_RESOURCES)[number]

export function isOnEngineThreads(resource: string): boolean {
  return (ENGINE_THREAD_RESOURCES as readonly string[]).includes(resource)
}

/** The resources of one thread: those that it lacks are absent. `apis` is the registry's own, `connection` the call's. */
export type HandedResources = Partial<Omit<Resources, 'apis' | 'connection'>>

export interface NodeFacts {
  clientVersion(): string
  networkId(): bigint
  /** Unix time by this machine's clock. */
  wallMs(): number
}

export interface HeadsSource {
  /** What lies between two of them is read from the chain: one may be passed over. Returns the way to stop listening. */
  onMoved(listener: (head: HeadMark) => void): () => void
}

export interface EnabledApis {
  /** The APIs of the transport the request came over, upper case, as the option named them. */
  readonly enabled: readonly string[]
  /** The methods that can be called there. */
  readonly methods: readonly Method[]
}

export interface RequestLimits {
  /** Gas of a simulated call; 0n: no limit. */
  readonly gasCap: bigint
  /** How far above the least gas an estimate may be, as a part of it; 0: not at all. */
  readonly estimateGasTolerance: number
  /** Blocks per eth_getLogs; 0: no limit. */
  readonly maxLogsRange: number
  /** Blocks per trace_filter; 0: no limit. */
  readonly maxTraceFilterRange: number
  /** Bytes that one request may hold in records, overlays and decoded input. */
  readonly maxRequestBytes: number
  /** How eth_gasPrice finds its answer. */
  readonly gasPrice: GasPriceRule
}

export interface GasPriceRule {
  /** Of how many of the last blocks. */
  readonly blocks: number
  /** Of their gas prices, 0 to 100. */
  readonly percentile: number
  readonly maxWei: bigint
}
