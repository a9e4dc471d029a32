/** What is said between main and the thread of a plugin. */
import type { LogOptions } from '#platform/log/log.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
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
  readonly log: Pick<LogOptions, 'level' | 'format' | 'colour'>
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
    readonly describe: { readonly params: null; readonly result: unknown }
    readonly ping: { readonly params: null; readonly result: null }
    readonly configure: { readonly params: GuestConfig; readonly result: null }
    readonly setLogLevel: {
      readonly params: { readonly level: LogLevel; readonly names: readonly string[] | undefined }
      readonly result: null
    }
    readonly lifecycle: {
      readonly params: {
        readonly step: LifecycleStep
        readonly options?: SentOptions
      }
      readonly result: null
    }
    readonly call: {
      /** Parameters are a packed value: main passes them on and does not look inside. */
      readonly params: { readonly method: string; readonly params: Uint8Array }
      readonly result: MethodAnswer
    }
    readonly admission: {
      readonly params: readonly OfferedTransaction[]
      readonly result: readonly Verdict[]
    }
    readonly selection: {
      readonly params: {
        readonly transactions: readonly Omit<OfferedTransaction, 'origin'>[]
        readonly block: BlockTerms
      }
      readonly result: readonly Verdict[]
    }
    readonly connections: { readonly params: OfferedPeer; readonly result: boolean }
    readonly health: { readonly params: null; readonly result: string | undefined }
    readonly metrics: { readonly params: null; readonly result: readonly MetricValue[] }
    readonly publicKey: { readonly params: null; readonly result: Uint8Array }
    readonly sign: { readonly params: Uint8Array; readonly result: Uint8Array }
    readonly ecdh: { readonly params: Uint8Array; readonly result: Uint8Array }
  }
}

/** What main answers and tells. */
export type HostOffers = {
  readonly requests: {
    /** A JSON-RPC message and its answer, as text. */
    readonly rpc: { readonly params: string; readonly result: string }
  }
  readonly news: {
    readonly head: { readonly number: number; readonly hash: string }
    readonly poolAdded: readonly PoolEvent[]
    readonly poolDropped: readonly PoolEvent[]
    readonly sync: SyncEvent | undefined
    readonly peers: PeersEvent
    readonly round: RoundEvent
  }
}

export type NewsName = keyof HostOffers['news']
