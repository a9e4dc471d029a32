/** What is said between main and the thread of a plugin. */
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import type { Reporting } from '#platform/thread/thread-data.ts'
import type { LifecycleStep } from './declaration.ts'
import type {
  BlockTerms,
  NodeHandle,
  OfferedPeer,
  OfferedTransaction,
  PeersEvent,
  PoolEvent,
  RoundEvent,
  SyncEvent,
  Verdict,
} from './define-plugin.ts'

/** Of a sentence that a plugin gives for a refusal. */
export const MAX_VERDICT_CHARACTERS = 500

export type GuestOptions = NodeHandle['options']

/** Options on their way to the thread of the plugin: secrets are plain text. */
export type SentOptions = Readonly<Record<string, unknown>>

/** Cloned to the thread. */
export interface GuestData {
  /** The address of the module. */
  readonly module: string
  /** Whether every file of the plugin is compared with `SHA256SUMS` before it is loaded. */
  readonly isVerified: boolean
}

/** Told before `register`. */
export interface GuestConfig {
  readonly options: SentOptions
  /** Of its storage. */
  readonly storageFile: string
  readonly log: Reporting['log']
}

/** JSON text, so that its size is bounded before main sees it. */
export type MethodAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly dataText?: string }

export interface MetricValue {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** What the plugin answers. Everything it says is checked on main. */
export type GuestOffers = {
  readonly requests: {
    readonly describe: RequestRow<null, unknown>
    readonly ping: RequestRow<null, null>
    readonly configure: RequestRow<GuestConfig, null>
    readonly lifecycle: RequestRow<{ readonly step: LifecycleStep; readonly options?: SentOptions }, null>
    /** Parameters are a packed value: main passes them on and does not look inside. */
    readonly call: RequestRow<{ readonly method: string; readonly params: Uint8Array }, MethodAnswer>
    readonly admission: RequestRow<readonly OfferedTransaction[], readonly Verdict[]>
    readonly selection: RequestRow<
      {
        readonly transactions: readonly Omit<OfferedTransaction, 'origin'>[]
        readonly block: BlockTerms
      },
      readonly Verdict[]
    >
    readonly connections: RequestRow<OfferedPeer, boolean>
    readonly health: RequestRow<null, string | undefined>
    readonly metrics: RequestRow<null, readonly MetricValue[]>
    readonly publicKey: RequestRow<null, Uint8Array>
    readonly sign: RequestRow<Uint8Array, Uint8Array>
    readonly ecdh: RequestRow<Uint8Array, Uint8Array>
  }
}

/** What main answers and tells. */
export type HostOffers = {
  readonly requests: {
    /** A JSON-RPC message and its answer, as text. */
    readonly rpc: RequestRow<string, string>
  }
  readonly news: {
    readonly headMoved: { readonly number: number }
    readonly poolAdded: readonly PoolEvent[]
    readonly poolDropped: readonly PoolEvent[]
    readonly sync: SyncEvent | undefined
    readonly peers: PeersEvent
    readonly round: RoundEvent
  }
}

/** News of plugins alone. */
export type NewsName = Exclude<keyof HostOffers['news'], 'headMoved'>
