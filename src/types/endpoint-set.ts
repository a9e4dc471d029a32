import { type Enode, sameEndpoint } from './enode.ts'

/** Nodes by where they are: id, address and TCP port. Where they answer discovery does not count. */
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

  /** Whether the node is there with any port, for whoever does not know its port yet. */
  hasHost(id: string, host: string): boolean {
    return this.#byId.get(id)?.some((each) => each.host === host) ?? false
  }

  /** Whether any node is at this address. */
  hasAddress(host: string): boolean {
    return this.#hosts.has(host)
  }
}
