import { type Enode, type EnodeProblem, parseEnode, sameEndpoint } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'

/** `changed`: it was not so before. */
export type PeerListChange =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly problem: EnodeProblem }

/** Who dials. */
interface Dialler {
  maintain(enode: Enode): void
  remove(id: string): void
}

/** Peers that are to be there: static nodes, and those that somebody added while the node runs. */
export class MaintainedPeers {
  readonly #allowHostNames: boolean
  readonly #wanted = new Map<string, Enode>()
  #network: Dialler | undefined
  #self: string | undefined

  constructor(allowHostNames: boolean) {
    this.#allowHostNames = allowHostNames
  }

  /** From now on the network is told. */
  attach(network: Dialler, self: string, staticNodes: readonly Enode[]): void {
    this.#network = network
    this.#self = self
    for (const enode of staticNodes) this.#wanted.set(enode.id, enode)
    for (const enode of this.#wanted.values()) network.maintain(enode)
  }

  detach(): void {
    this.#network = undefined
  }

  add(url: string): PeerListChange {
    return this.#change(url, (enode) => {
      const known = this.#wanted.get(enode.id)
      if (enode.id === this.#self || (known !== undefined && sameEndpoint(known, enode))) return false
      this.#wanted.set(enode.id, enode)
      this.#network?.maintain(enode)
      return true
    })
  }

  /** Disconnected in any case; changed if it was wanted. */
  remove(url: string): PeerListChange {
    return this.#change(url, ({ id }) => {
      this.#network?.remove(id)
      return this.#wanted.delete(id)
    })
  }

  #change(url: string, change: (enode: Enode) => boolean): PeerListChange {
    let enode: Enode
    try {
      enode = parseEnode(url, { allowHostNames: this.#allowHostNames })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { ok: false, problem: error.data.problem as EnodeProblem }
    }
    // Nobody can be dialled who takes no connections.
    return enode.tcpPort === null ? { ok: false, problem: 'syntax' } : { ok: true, changed: change(enode) }
  }
}
