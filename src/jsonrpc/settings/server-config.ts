import type { ValuesOf } from '#config/option.ts'
import type { AuthenticationConfig } from '#jsonrpc/auth/create-authenticator.ts'
import type { SharedBuckets } from '#jsonrpc/limits/shared-buckets.ts'
import type { UserLimits } from '#jsonrpc/limits/user-limits.ts'
import type { SubscriptionConfig } from '#jsonrpc/subscriptions/subscription-slots.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'
import type { rpcOptions } from './options.ts'

/** Plain data, because it is cloned to the server thread. Secrets are in the clear and wrapped again there. */
export interface ServerConfig {
  /** Every option that both transports have. */
  readonly rpc: ValuesOf<typeof rpcOptions>
  readonly http: HttpConfig | null
  readonly websocket: WebSocketConfig | null
  /** Null if no other room listens for requests. */
  readonly pipeline: PipelineConfig | null
  /** Null if no consensus client is served. */
  readonly enginePort: EnginePortConfig | null
  /** True if the embedding program sends requests, over the channel to main and to every API. */
  readonly takesInProcess: boolean
  /** Null if callers have no limits. */
  readonly userLimits: { readonly limits: UserLimits; readonly buckets: SharedBuckets } | null
  readonly subscriptions: SubscriptionConfig
  /** Null if this is the only server. */
  readonly sharing: PortSharing | null
}

/** What servers that listen on the same ports share. */
export interface PortSharing {
  /** Open connections, one count per server, in shared memory. */
  readonly httpConnections: Int32Array
  readonly websocketConnections: Int32Array
  /** The index of this server's count. */
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

/** Both transports on one port, for a listener in another room. It serves every API. */
export interface PipelineConfig extends HttpConfig {
  readonly maxFrameBytes: number
  readonly websocketTimeoutMs: number
}

/** The port of a consensus client. No other port serves its methods. */
export interface EnginePortConfig extends HttpConfig {
  readonly hostAllowlist: readonly string[]
}

/** TLS settings with passwords as plain text. */
export type TlsConfig = Cleartext<TlsSettings>

type Cleartext<T> = T extends { reveal(): infer Value }
  ? Value
  : T extends readonly (infer Item)[]
    ? readonly Cleartext<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Cleartext<T[Key]> }
      : T
