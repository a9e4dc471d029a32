import { question } from '#platform/contract.ts'

export const SERVICES = {
  /** The addresses of the node's services; a service that does not run is absent. */
  all: question<[], Services>(),
}

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL'

export type Services = { readonly [Name in ServiceName]?: ServiceAddress }

export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export class RunningServices {
  #all: Services = {}

  all(): Services {
    return this.#all
  }

  /** A service without an address does not run. */
  add(name: ServiceName, address: ServiceAddress | null | undefined): void {
    if (address) this.#all = { ...this.#all, [name]: address }
  }
}
