import { type Enode, sameEndpoint } from './enode.ts'

/** Nodes by id, address and TCP port, regardless of their discovery port. */
export class EndpointSet {
  readonly #byId = new Map<string, Enode[]>()
  readonly #hosts = new Set<string>()

  constructor(nodes: Iterable<Enode>) {
    for (const node of nodes) {
      this.#hosts.add(node.host)
      const others = this.#byId.get(node.id)
      if (others === undefined) this.#byId.set(node.id, [node])
      else others.push(node)
    }
  }

  has(node: Enode): boolean {
    return this.#byId.get(node.id)?.some((each) => sameEndpoint(each, node)) ?? false
  }

  /** Whether the node is present with any port, for callers that do not know its port yet. */
  hasHost(id: string, host: string): boolean {
    return this.#byId.get(id)?.some((each) => each.host === host) ?? false
  }

  hasAddress(host: string): boolean {
    return this.#hosts.has(host)
  }
}
