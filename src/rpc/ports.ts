import type { LogLevel } from '#platform/log-level.ts'
import type { Method } from './define-method.ts'

/**
 * What methods may ask for by `needs`. A method runs on the server thread that holds the socket: what was
 * settled when the node started is a plain value here, what lives on the main thread is a promise over the
 * channel. Later rooms add their rows: chain, engine, pool, peers, consensus, allowlist, ...
 */
export interface Ports {
  readonly node: NodePort
  readonly log: LogPort
  readonly apis: ApisPort
}

/** The ports that node/ hands in; `apis` is the registry's own. */
export type HandedPorts = Omit<Ports, 'apis'>

export interface NodePort {
  clientVersion(): string
  networkId(): bigint
  /** Where the node can be reached; a service that does not run is absent. */
  services(): Promise<Services>
  /** Whether the node takes connections of peers. */
  isListening(): Promise<boolean>
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
