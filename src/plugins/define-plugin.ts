/**
 * What a plugin is written against: `cairn-node/plugin`. These types are the whole surface; nothing else of the node can be
 * reached. docs/plugins.md explains them. The room `plugins` owns finding, loading, asking and containing plugins: each runs
 * in a thread of its own (`guest/`), and main asks it over a channel, with deadlines (`host/`). It does not know what is asked
 * for what: `node` hands its answers to the pool, to peers and to servers.
 */

/** Raised when a plugin that was written before could no longer be run. */
export const API_VERSION = 1

type MaybePromise<T> = T | Promise<T>

/** How the value of an option is written. */
export interface OptionTypes {
  text: string
  integer: number
  boolean: boolean
  /** Several texts, separated by commas. */
  list: readonly string[]
  /** A password, key or token: the node prints it nowhere. */
  secret: SecretText
}

/** Prints as `[secret]`, in logs and in JSON too. */
export interface SecretText {
  reveal(): string
}

export interface OptionDeclaration {
  readonly type: keyof OptionTypes
  readonly help: string
  /** Without one, an option that nobody gave is undefined. A secret has no default. */
  readonly default?: string | number | boolean | readonly string[]
}

/** By their names, which are lower-case letters, digits and hyphens: `limit` is `--plugin-<plugin>-limit`. */
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>

export type OptionValues<Options extends OptionDeclarations> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly default: unknown }
    ? OptionTypes[Options[Name]['type']]
    : OptionTypes[Options[Name]['type']] | undefined
}

export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge'
  readonly help: string
  readonly labels?: readonly string[]
}

/** By their names in Prometheus, without prefix: `seen` is `cairn_plugin_<plugin>_seen_total` where it counts. */
export type MetricDeclarations = Readonly<Record<string, MetricDeclaration>>

export interface Metric {
  /** To what it is; by 1 unless told otherwise. */
  add(by?: number, labels?: Readonly<Record<string, string>>): void
  /** Of gauges only. */
  set(value: number, labels?: Readonly<Record<string, string>>): void
}

/** Kept in a file of this plugin, over restarts. A value is durable when the promise resolves. */
export interface Storage {
  get(key: string): Uint8Array | undefined
  put(key: string, value: Uint8Array): Promise<void>
  delete(key: string): Promise<void>
  keys(): readonly string[]
}

export interface PluginLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** The node, as a plugin sees it. */
export interface NodeHandle<
  Options extends OptionDeclarations = OptionDeclarations,
  Metrics extends MetricDeclarations = MetricDeclarations,
> {
  /** In force now: `reload` comes with what the configuration file says by then. */
  readonly options: OptionValues<Options>
  readonly metrics: { readonly [Name in keyof Metrics]: Metric }
  readonly log: PluginLog
  readonly storage: Storage
  /** A JSON-RPC request to this node, to any of its APIs. Throws an Error with `code` and `data` where it answers one. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>
}

/** How a parameter is written on the wire and what `run` gets: a `?` behind it lets clients leave it out. */
export interface ParamTypes {
  /** 0x and 40 hex digits; lower case. */
  address: string
  hash: string
  /** 0x and hex digits. */
  data: string
  quantity: bigint
  text: string
  boolean: boolean
  number: number
  /** Any JSON. */
  json: unknown
}

export type ParamType = keyof ParamTypes | `${keyof ParamTypes}?`

export interface MethodContribution<Handle> {
  readonly summary: string
  /** In the order of the wire. */
  readonly params?: Readonly<Record<string, ParamType>>
  /** Milliseconds; 10 seconds by default, at most 30. */
  readonly deadlineMs?: number
  /** Gives JSON. What it throws is answered with `code` (-32000 unless it has one), `message` and `data` of the error. */
  // biome-ignore lint/suspicious/noExplicitAny: parameters have the types that `params` names
  run(params: any, node: Handle): MaybePromise<unknown>
}

/** A transaction, before the pool takes it. */
export interface OfferedTransaction {
  readonly hash: string
  readonly sender: string
  /** null creates a contract. */
  readonly to: string | null
  readonly type: number
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The most that the sender can lose by it, value included. */
  readonly maxCostWei: bigint
  /** local: sent to this node. remote: from a peer, or from a block that left the chain. */
  readonly origin: 'local' | 'remote'
}

/** true, or why not, in a sentence that the sender reads. */
export type Verdict = true | string

/** What counts where a rule cannot say: it is late, throws, or the plugin is being restarted. */
export interface Failing {
  readonly onFailure: 'admit' | 'refuse'
  /** Milliseconds. */
  readonly deadlineMs?: number
}

/** Who may send what: asked once for each transaction that comes, several at a time. One verdict for each. */
export interface AdmissionRule<Handle> extends Failing {
  judge(transactions: readonly OfferedTransaction[], node: Handle): MaybePromise<readonly Verdict[]>
}

export interface BlockTerms {
  readonly number: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly baseFeePerGas: bigint | undefined
}

/** What goes into the blocks of this node: `deadlineMs` is for the whole block, 50 by default. */
export interface SelectionRule<Handle> extends Failing {
  judge(
    transactions: readonly Omit<OfferedTransaction, 'origin'>[],
    block: BlockTerms,
    node: Handle,
  ): MaybePromise<readonly Verdict[]>
}

export interface OfferedPeer {
  readonly enode: string
  /** 128 hex digits. */
  readonly id: string
  readonly ip: string
  readonly direction: 'inbound' | 'outbound'
}

/** Who may be a peer. Asked when a connection is made, and again when the list of permitted nodes changed. */
export interface ConnectionRule<Handle> extends Failing {
  judge(peer: OfferedPeer, node: Handle): MaybePromise<boolean>
}

export interface BlockEvent {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds. */
  readonly timestamp: number
  readonly transactions: readonly string[]
}

export interface LogEvent {
  /** The same for the same log, however often it is told. */
  readonly id: string
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly transactionHash: string
  readonly logIndex: number
}

/**
 * `durable`: every one is told at least once, in order, also over restarts; where the handler throws, it is told again.
 * Without a cursor, telling begins with the first block after the start, and what a handler throws is only logged.
 */
export interface Feed {
  readonly cursor?: 'durable'
  /** The first block, where there is no cursor yet; without it, the next. */
  readonly fromBlock?: number
}

export interface BlockFeed<Handle> extends Feed {
  handle(block: BlockEvent, node: Handle): MaybePromise<void>
}

/** Called once for each block that has such logs. */
export interface LogFeed<Handle> extends Feed {
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | null | readonly string[])[]
  handle(logs: readonly LogEvent[], node: Handle): MaybePromise<void>
}

export interface PoolEvent {
  readonly hash: string
  readonly sender: string
}

export interface SyncEvent {
  readonly currentBlock: number
  readonly highestBlock: number
}

export interface PeersEvent {
  readonly joined: readonly string[]
  readonly left: readonly string[]
}

export interface RoundEvent {
  readonly kind: 'roundStarted' | 'proposalAccepted' | 'prepared' | 'committed'
  readonly height: number
  readonly round: number
}

/** What happened. `missed` counts what was lost before, because the handler was too slow. */
export interface Listeners<Handle> {
  readonly block?: BlockFeed<Handle>
  readonly logs?: LogFeed<Handle>
  poolAdded?(transactions: readonly PoolEvent[], node: Handle, missed: number): MaybePromise<void>
  poolDropped?(transactions: readonly PoolEvent[], node: Handle, missed: number): MaybePromise<void>
  /** Looked at every two seconds, and told when it changed; undefined: there is nobody to catch up with. */
  sync?(progress: SyncEvent | undefined, node: Handle): MaybePromise<void>
  /** Ids of peers. Looked at every two seconds. */
  peers?(change: PeersEvent, node: Handle): MaybePromise<void>
  round?(round: RoundEvent, node: Handle, missed: number): MaybePromise<void>
}

/** undefined: all is well; otherwise what is not, in a sentence. */
export interface HealthCheck<Handle> {
  check(node: Handle): MaybePromise<string | undefined>
}

/** Holds the key of the node, where `--security-module` names the plugin. */
export interface Signer<Handle> {
  /** 64 bytes. */
  publicKey(node: Handle): MaybePromise<Uint8Array>
  /** 65 bytes, r, s and the parity, over a digest of 32. */
  sign(digest: Uint8Array, node: Handle): MaybePromise<Uint8Array>
  /** The x coordinate, 32 bytes, of what this key and a public key have in common. */
  ecdh(publicKey: Uint8Array, node: Handle): MaybePromise<Uint8Array>
}

export interface PluginDefinition<
  Options extends OptionDeclarations = OptionDeclarations,
  Metrics extends MetricDeclarations = MetricDeclarations,
  Handle = NodeHandle<Options, Metrics>,
> {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  readonly version: string
  readonly options?: Options
  readonly metrics?: Metrics
  /** Before the node starts: rules may be asked from here on. */
  register?(node: Handle): MaybePromise<void>
  /** The node answers requests; listeners are told of what happens after it. */
  start?(node: Handle): MaybePromise<void>
  /** `plugins_reloadPluginConfig` was called: `node.options` are those that the configuration file has now. */
  reload?(node: Handle): MaybePromise<void>
  stop?(node: Handle): MaybePromise<void>
  /** Milliseconds; 10 seconds each by default, at most 120. */
  readonly timeouts?: {
    readonly registerMs?: number
    readonly startMs?: number
    readonly reloadMs?: number
    readonly stopMs?: number
  }
  /** Of the methods; without it, the name without hyphens. */
  readonly namespace?: string
  /** By their names without namespace: `hello` is `<namespace>_hello`. */
  readonly methods?: Readonly<Record<string, MethodContribution<Handle>>>
  readonly admission?: AdmissionRule<Handle>
  readonly selection?: SelectionRule<Handle>
  readonly connections?: ConnectionRule<Handle>
  readonly on?: Listeners<Handle>
  readonly health?: HealthCheck<Handle>
  readonly signer?: Signer<Handle>
}

/** A definition with the version of the interface that it was written for. */
export interface Plugin {
  readonly apiVersion: number
  readonly definition: PluginDefinition
}

/** The default export of a plugin's module. */
export function definePlugin<
  const Options extends OptionDeclarations = Record<never, never>,
  const Metrics extends MetricDeclarations = Record<never, never>,
>(definition: PluginDefinition<Options, Metrics>): Plugin {
  return { apiVersion: API_VERSION, definition: definition as unknown as PluginDefinition }
}
