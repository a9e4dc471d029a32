/** The protocol between main and a plugin's thread. */
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import type { Reporting } from '#platform/thread/thread-data.ts'
import type { LifecycleStep } from './declaration.ts'
import type {
  BlockTerms,
  CandidateTransaction,
  NodeHandle,
  OfferedPeer,
  OfferedTransaction,
  PeersEvent,
  PoolEvent,
  RoundEvent,
  SyncEvent,
  Verdict,
} from './define-plugin.ts'

/** Maximum length of a plugin's reason for a refusal. */
export const MAX_VERDICT_CHARACTERS = 500

export type GuestOptions = NodeHandle['options']

/** Options sent to the plugin's thread, with secrets as plain text. */
export type SentOptions = Readonly<Record<string, unknown>>

/** Cloned to the thread. */
export interface GuestData {
  /** The URL of the module. */
  readonly module: string
  /** If true, every file of the plugin must match `SHA256SUMS` before it is loaded. */
  readonly isVerified: boolean
}

/** Sent before `register`. */
export interface GuestConfig {
  readonly options: SentOptions
  readonly storageFile: string
  readonly log: Reporting['log']
}

/** JSON text, so its size is bounded before main sees it. */
export type MethodAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly dataText?: string }

export interface MetricValue {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A transaction for an admission rule, not decoded yet: main does not spend its time on data that a rule may not read. */
export type SentTransaction = CandidateTransaction &
  Pick<OfferedTransaction, 'origin'> & { readonly encoded: Uint8Array }

/** The plugin's answers. Main checks all of them. */
export type GuestOffers = {
  readonly requests: {
    readonly describe: RequestRow<null, unknown>
    readonly ping: RequestRow<null, null>
    readonly configure: RequestRow<GuestConfig, null>
    readonly lifecycle: RequestRow<{ readonly step: LifecycleStep; readonly options?: SentOptions }, null>
    /** Parameters are packed: main passes them on without reading them. */
    readonly call: RequestRow<{ readonly method: string; readonly params: Uint8Array }, MethodAnswer>
    readonly admission: RequestRow<readonly SentTransaction[], readonly Verdict[]>
    readonly selection: RequestRow<
      {
        readonly transactions: readonly CandidateTransaction[]
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

/** Main's answers and events. */
export type HostOffers = {
  readonly requests: {
    /** A JSON-RPC message and its answer, as text. */
    readonly rpc: RequestRow<string, string>
  }
  readonly events: {
    readonly headMoved: { readonly number: number }
    readonly poolAdded: readonly PoolEvent[]
    readonly poolDropped: readonly PoolEvent[]
    readonly sync: SyncEvent | undefined
    readonly peers: PeersEvent
    readonly round: RoundEvent
  }
}

/** Events for plugins only. */
export type EventName = Exclude<keyof HostOffers['events'], 'headMoved'>
