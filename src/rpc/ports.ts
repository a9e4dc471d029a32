import type { BadBlock } from '#chain/bad-blocks.ts'
import type { ChainView } from '#chain/chain-view.ts'
import type { BftStatus } from '#consensus/status.ts'
import type { Engine } from '#evm/engine.ts'
import type { LogLevel } from '#platform/log-level.ts'
import type { MetricsSnapshot } from '#platform/metrics-merge.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/bft-extra-data.ts'
import type { Hash } from '#types/hash.ts'
import type { Method } from './define-method.ts'
import type { FilterDefinition, FilterProgress } from './filter.ts'

/**
 * What methods may ask for by `needs`. A method runs on the server thread that holds the socket: what was
 * settled when the node started is a plain value here, what lives on the main thread is a promise over the
 * channel. A method that needs 'engine' runs as a whole on an engine thread, which has the rows marked so. Later
 * rooms add their rows: pool, peers, allowlist, ...
 */
export interface Ports {
  readonly node: NodePort
  readonly log: LogPort
  readonly apis: ApisPort
  /** What is stored, read on the thread that asks; on engine threads too. */
  readonly chain: ChainView
  /** On engine threads only. */
  readonly engine: Engine
  /** Limits that the operator set for requests; on engine threads too. */
  readonly limits: RequestLimits
  /** The one writer of the chain. */
  readonly writer: WriterPort
  /** Polling filters, which are main's because a client may reach another server with its next request. */
  readonly filters: FiltersPort
  /** How blocks are made, and what this node wants changed about validators; main's, which makes them. */
  readonly consensus: ConsensusPort
}

/** What an engine thread has: methods that need 'engine' need nothing else besides. */
export const ENGINE_THREAD_PORTS = ['chain', 'engine', 'limits'] as const satisfies readonly (keyof Ports)[]

/** What a node without a genesis file lacks: methods that need any of these say so. */
export const CHAIN_PORTS = [
  'chain',
  'engine',
  'writer',
  'filters',
  'consensus',
] as const satisfies readonly (keyof Ports)[]

/** The ports of one thread: those that it lacks are absent. `apis` is the registry's own. */
export type HandedPorts = Partial<Omit<Ports, 'apis'>>

export interface NodePort {
  clientVersion(): string
  networkId(): bigint
  /** Where the node can be reached; a service that does not run is absent. */
  services(): Promise<Services>
  /** Whether the node takes connections of peers. */
  isListening(): Promise<boolean>
  /** Of all threads. */
  metrics(): Promise<MetricsSnapshot>
  /** Unix time by this machine's clock. */
  wallMs(): number
}

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL'

export type Services = { readonly [Name in ServiceName]?: ServiceAddress }

export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export interface LogPort {
  /** On every thread; for all loggers, or only for the named ones and what lies beneath them. */
  setLevel(level: LogLevel, names?: readonly string[]): Promise<void>
}

export interface ApisPort {
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

export interface WriterPort {
  /** debug_setHead and debug_replayBlock; a sentence says why it was refused. */
  setHead(hash: Hash): Promise<{ readonly ok: true } | { readonly ok: false; readonly sentence: string }>
  /** The last that were refused because they are invalid, oldest first. */
  badBlocks(): Promise<readonly BadBlock[]>
}

/** A filter is a cursor; the server that is asked computes what is new from the store. */
export interface FiltersPort {
  /** undefined: there are as many as the option allows. */
  create(filter: FilterDefinition): Promise<string | undefined>
  get(id: string): Promise<FilterDefinition | undefined>
  /** What happened since it was last asked, and moves the cursor; undefined: unknown or expired. */
  poll(id: string): Promise<FilterProgress | undefined>
  remove(id: string): Promise<boolean>
}

export interface ConsensusPort {
  pendingVotes(): Promise<readonly BftVote[]>
  proposeVote(recipient: Address, type: BftVote['type']): Promise<void>
  discardVote(recipient: Address): Promise<void>
  /** undefined: this node takes no part in making blocks. */
  status(): Promise<BftStatus | undefined>
}
