import { question } from '#platform/contract.ts'

export const SERVICES = {
  /** Where the node can be reached; a service that does not run is absent. */
  all: question<[], Services>(),
}

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL'

export type Services = { readonly [Name in ServiceName]?: ServiceAddress }

export interface ServiceAddress {
  readonly host: string
  readonly port: number
}
