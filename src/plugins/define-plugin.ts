/**
 * The plugin interface, `cairn-node/plugin`. Plugins can reach nothing else of the node. docs/extend/plugins.md explains
 * it. The room `plugins` finds, loads, calls and contains plugins: each runs in its own thread (`guest/`), and main calls
 * it over a channel with deadlines (`host/`). `node` passes the answers to the pool, peers and servers.
 */

/** Increased when existing plugins can no longer run. */
export const API_VERSION = 1

type MaybePromise<T> = T | Promise<T>

/** The types of option values. */
export interface OptionTypes {
  text: string
  integer: number
  boolean: boolean
  /** Several texts, separated by commas. */
  list: readonly string[]
  /** A password, key or token. The node never prints it. */
  secret: SecretText
}

/** Prints as `[secret]`, also in logs and JSON. */
export interface SecretText {
  reveal(): string
}

export interface OptionDeclaration {
  readonly type: keyof OptionTypes
  readonly help: string
  /** An option without a default is undefined unless it is set. A secret has no default. */
  readonly default?: string | number | boolean | readonly string[]
}

/** Options by name, in lower-case letters, digits and hyphens: `limit` is `--plugin-<plugin>-limit`. */
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

/** Metrics by Prometheus name without prefix: a counter `seen` is `cairn_plugin_<plugin>_seen_total`. */
export type MetricDeclarations = Readonly<Record<string, MetricDeclaration>>

export interface Metric {
  /** Adds `by`, 1 by default. */
  add(by?: number, labels?: Readonly<Record<string, string>>): void
  /** For gauges only. */
  set(value: number, labels?: Readonly<Record<string, string>>): void
}

/** A file of this plugin that survives restarts. A value is durable when the promise resolves. */
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

/** The node as a plugin sees it. */
export interface NodeHandle<
  Options extends OptionDeclarations = OptionDeclarations,
  Metrics extends MetricDeclarations = MetricDeclarations,
> {
  /** The current options. `reload` brings those that the configuration file has then. */
  readonly options: OptionValues<Options>
  readonly metrics: { readonly [Name in keyof Metrics]: Metric }
  readonly log: PluginLog
  readonly storage: Storage
  /**
   * Sends a JSON-RPC request to this node, for any of its APIs. Throws an Error with `code` and `data` if the node
   * answers with an error.
   */
  request(method: string, params?: readonly unknown[]): Promise<unknown>
}

/** Types of parameters, on the wire and in `run`. A `?` after the type makes the parameter optional. */
export interface ParamTypes {
  /** 0x and 40 hex digits in lower case. */
  address: string
  hash: string
  /** 0x and hex digits. */
  data: string
  quantity: bigint
  text: string
  boolean: boolean
  number: number
  json: unknown
}

export type ParamType = keyof ParamTypes | `${keyof ParamTypes}?`

export interface MethodContribution<Handle> {
  readonly summary: string
  /** In the order of the wire. */
  readonly params?: Readonly<Record<string, ParamType>>
  /** Milliseconds; 10 seconds by default, at most 30. */
  readonly deadlineMs?: number
  /** Returns JSON. An error is answered with its `code` (default -32000), `message` and `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: parameters have the types that `params` names
  run(params: any, node: Handle): MaybePromise<unknown>
}

/** A transaction as selection rules see it. */
export interface CandidateTransaction {
  readonly hash: string
  readonly sender: string
  /** Null creates a contract. */
  readonly to: string | null
  readonly type: number
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The maximum cost to the sender, value included. */
  readonly maxCostWei: bigint
}

/** A transaction before the pool accepts it. */
export interface OfferedTransaction extends CandidateTransaction {
  /** Wei sent along. */
  readonly value: bigint
  /** The call data, or the code of a contract creation: 0x and hex digits. */
  readonly data: string
  /** The called function, 0x and 8 hex digits: `0xa9059cbb` is `transfer(address,uint256)`. Undefined without one. */
  readonly selector: string | undefined
  /** `local`: sent to this node. `remote`: from a peer, or from a block removed by a reorg. */
  readonly origin: 'local' | 'remote'
}

/** True, or the reason for the refusal in a sentence for the sender. */
export type Verdict = true | string

/** The outcome if a rule cannot decide: it is late, throws, or the plugin is restarting. */
export interface Failing {
  readonly onFailure: 'admit' | 'refuse'
  readonly deadlineMs?: number
}

/** Decides which transactions enter the pool. It gets several new transactions per call and returns a verdict for each. */
export interface AdmissionRule<Handle> extends Failing {
  judge(transactions: readonly OfferedTransaction[], node: Handle): MaybePromise<readonly Verdict[]>
}

export interface BlockTerms {
  readonly number: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly baseFeePerGas: bigint | undefined
}

/**
 * Decides which transactions this node includes in its blocks. `deadlineMs` applies to the complete block, 50 by default.
 */
export interface SelectionRule<Handle> extends Failing {
  judge(
    transactions: readonly CandidateTransaction[],
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

/** Decides which peers may connect, for each new connection and again when the node allowlist changes. */
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
  /** Identifies the log, also if it is delivered again. */
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
 * With a `durable` cursor every event is delivered at least once, in order, also across restarts; if the handler throws,
 * it is delivered again. Without a cursor, delivery begins with the first block after the start, and errors of the
 * handler are only logged.
 */
export interface Feed {
  readonly cursor?: 'durable'
  /** The first block if there is no cursor yet; by default the next one. */
  readonly fromBlock?: number
}

export interface BlockFeed<Handle> extends Feed {
  handle(block: BlockEvent, node: Handle): MaybePromise<void>
}

/** Called once for each block with matching logs. */
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

/** Event handlers. `missed` counts events lost before because the handler was too slow. */
export interface Listeners<Handle> {
  readonly block?: BlockFeed<Handle>
  readonly logs?: LogFeed<Handle>
  poolAdded?(transactions: readonly PoolEvent[], node: Handle, missed: number): MaybePromise<void>
  poolDropped?(transactions: readonly PoolEvent[], node: Handle, missed: number): MaybePromise<void>
  /** Checked every two seconds and called on changes; undefined if there is no peer to sync with. */
  sync?(progress: SyncEvent | undefined, node: Handle): MaybePromise<void>
  /** Peer ids, checked every two seconds. */
  peers?(change: PeersEvent, node: Handle): MaybePromise<void>
  round?(round: RoundEvent, node: Handle, missed: number): MaybePromise<void>
}

/** Returns undefined if all is well, otherwise the problem in a sentence. */
export interface HealthCheck<Handle> {
  check(node: Handle): MaybePromise<string | undefined>
}

/** Holds the node's key if `--security-module` names the plugin. */
export interface Signer<Handle> {
  /** 64 bytes. */
  publicKey(node: Handle): MaybePromise<Uint8Array>
  /** Signs a 32-byte digest; returns 65 bytes: r, s and the parity. */
  sign(digest: Uint8Array, node: Handle): MaybePromise<Uint8Array>
  /** The shared secret with a public key: the x coordinate, 32 bytes. */
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
  /** Called before the node starts. Rules may be called from here on. */
  register?(node: Handle): MaybePromise<void>
  /** The node answers requests from here on. Listeners receive later events. */
  start?(node: Handle): MaybePromise<void>
  /** Called by `plugins_reloadPluginConfig`, with the configuration file's current values in `node.options`. */
  reload?(node: Handle): MaybePromise<void>
  stop?(node: Handle): MaybePromise<void>
  /** Milliseconds; 10 seconds each by default, at most 120. */
  readonly timeouts?: {
    readonly registerMs?: number
    readonly startMs?: number
    readonly reloadMs?: number
    readonly stopMs?: number
  }
  /** The namespace of the methods; by default the name without hyphens. */
  readonly namespace?: string
  /** Methods by name without namespace: `hello` is `<namespace>_hello`. */
  readonly methods?: Readonly<Record<string, MethodContribution<Handle>>>
  readonly admission?: AdmissionRule<Handle>
  readonly selection?: SelectionRule<Handle>
  readonly connections?: ConnectionRule<Handle>
  readonly on?: Listeners<Handle>
  readonly health?: HealthCheck<Handle>
  readonly signer?: Signer<Handle>
}

/** A definition with the interface version that it was written for. */
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
