import type { ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import type { DeclaredMethod } from '#plugins/declaration.ts'
import type { SubmissionRules } from '#pool/prepare-submission.ts'
import type { TokenAlgorithm } from '#rpc/auth/public-key.ts'
import type { SharedAccounts } from '#rpc/limits/shared-accounts.ts'
import type { UserLimits } from '#rpc/limits/user-limits.ts'
import type { RequestLimits } from '#rpc/resources.ts'
import type { SharedSubscriptions } from '#rpc/subscriptions/subscription-slots.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'

/**
 * Everything a server thread is told when it starts: plain data, because it is cloned to the thread. Secrets stand
 * here in the clear (a Secret does not survive cloning) and are wrapped again on the other side at once.
 */
export interface ServerConfig {
  readonly clientVersion: string
  readonly networkId: bigint
  readonly hostAllowlist: readonly string[]
  readonly prettyPrint: boolean
  readonly http: HttpConfig | null
  readonly websocket: WebSocketConfig | null
  /** Whether requests come over the channel to main too, from the program that the node is part of: to every API. */
  readonly takesInProcess: boolean
  readonly limits: RequestLimits
  /** Null: callers may use as much as they want. */
  readonly userLimits: { readonly limits: UserLimits; readonly accounts: SharedAccounts } | null
  readonly submissions: SubmissionRules
  readonly subscriptions: SubscriptionConfig
  readonly chain: ServedChain
  /** Null: this is the only server, and its ports are its own. */
  readonly sharing: PortSharing | null
  /** Modules with methods from outside the package (outside-methods.ts). */
  readonly methodModules: readonly string[]
  /** That plugins brought. */
  readonly pluginMethods: readonly DeclaredMethod[]
}

export interface ServedChain extends ChainReaderConfig {
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** Whether there are threads to which what needs an engine goes; otherwise it runs here. */
  readonly hasEngineThreads: boolean
}

/** What several servers that listen on the same ports have together. */
export interface PortSharing {
  /** Open connections, one count for each server; in shared memory. */
  readonly httpConnections: Int32Array
  readonly websocketConnections: Int32Array
  /** Which of the counts is this server's. */
  readonly server: number
}

export interface SubscriptionConfig {
  /** Of all servers together. */
  readonly max: number
  readonly shared: SharedSubscriptions
  /** Which of the counts is this server's. */
  readonly server: number
}

export interface TransportConfig {
  readonly host: string
  readonly port: number
  readonly apis: readonly string[]
  readonly maxConnections: number
  readonly timeoutMs: number
  readonly authentication: AuthenticationConfig
  readonly tls: TlsConfig | null
  readonly corsOrigins: readonly string[]
}

export interface HttpConfig extends TransportConfig {
  readonly maxBatchSize: number
  readonly maxBodyBytes: number
  readonly streamingTimeoutMs: number
}

export interface WebSocketConfig extends TransportConfig {
  readonly maxFrameBytes: number
}

export type AuthenticationConfig =
  | { readonly mode: 'off' }
  | {
      readonly mode: 'credentials'
      readonly file: string
      readonly tokenKeyPem: string
      readonly noAuthMethods: readonly string[]
    }
  | {
      readonly mode: 'publicKey'
      readonly file: string
      readonly algorithm: TokenAlgorithm
      readonly noAuthMethods: readonly string[]
    }

/** TLS settings whose passwords are plain text. */
export type TlsConfig = Cleartext<TlsSettings>

type Cleartext<T> = T extends { reveal(): infer Value }
  ? Value
  : T extends readonly (infer Item)[]
    ? readonly Cleartext<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Cleartext<T[Key]> }
      : T
