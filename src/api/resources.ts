import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { Engine } from '#evm/engine.ts'
import type { Connection } from '#jsonrpc/dispatcher.ts'
import type { EnabledApis } from '#jsonrpc/registry/registry.ts'
import type { Subscriptions } from '#jsonrpc/subscriptions/subscriptions.ts'
import type { Intake } from '#pool/intake.ts'
import type { SharedProgress } from '#sync/sync-progress.ts'
import type { CallLog } from './calls/call-log.ts'
import type { Live } from './contracts.ts'
import type { FillTransaction } from './dev/fill-transaction.ts'
import type { Wallet } from './dev/wallet.ts'
import type { LimitValues } from './options.ts'

/**
 * The resources that methods may name in `needs`. A method runs on the server thread that holds the socket; values of
 * that thread are declared here, and objects on main are called through their rooms' contracts (contracts.ts). A
 * method that needs 'engine' runs on an engine thread.
 */
export type Resources = Live & {
  readonly node: NodeFacts
  readonly apis: EnabledApis
  /** The stored chain, read on the current thread; also on engine threads. */
  readonly chain: ChainView
  /** The sync progress, in shared memory. */
  readonly sync: Pick<SharedProgress, 'read'>
  /** Only on engine threads. */
  readonly engine: Engine
  /** The operator's limits for requests; also on engine threads. */
  readonly limits: LimitValues
  readonly intake: Pick<Intake, 'submit'>
  /** Announces heads when `chain` answers from them. */
  readonly heads: HeadsSource
  readonly subscriptions: Pick<Subscriptions, 'open' | 'close'>
  /** Only on the development network; also on engine threads. */
  readonly callLog: CallLog
  /** Only on the development network. */
  readonly wallet: Wallet
  /** Only on the development network. */
  readonly fill: FillTransaction
  /** The client's connection, on the thread that has the socket; without one the method is refused. */
  readonly connection: Connection
}

/** A method that needs 'engine' and more resolves the rest on the server. */
export const ENGINE_THREAD_RESOURCES = [
  'chain',
  'engine',
  'limits',
  'callLog',
] as const satisfies readonly (keyof Resources)[]

export type EngineThreadResource = (typeof ENGINE_THREAD_RESOURCES)[number]
export type EngineResources = Pick<Resources, Exclude<EngineThreadResource, 'callLog'>>

/** The resources of one thread, which may lack some. `apis` comes from the registry, `connection` from the call. */
export type ThreadResources = Partial<Omit<Resources, 'apis' | 'connection'>>

export interface NodeFacts {
  clientVersion(): string
  networkId(): bigint
  wallMs(): number
}

export interface HeadsSource {
  /** May skip heads; blocks between two of them are read from the chain. Returns the function that unsubscribes. */
  onMoved(listener: (head: HeadMark) => void): () => void
}
