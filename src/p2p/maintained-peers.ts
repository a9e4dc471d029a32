import { type Enode, type EnodeProblem, formatEnode, parseEnode, sameEndpoint } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { locate, type NameRules } from './read-nodes.ts'

/** `changed` is false if the list was already so. */
export type PeerListChange =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly problem: EnodeProblem | 'unknownHost' | 'notPermitted' }

interface Dialler {
  maintain(enode: Enode): void
  remove(id: string): void
}

/** Peers to stay connected to: static nodes and those added at run time. */
export class MaintainedPeers {
  readonly #names: NameRules
  readonly #permits: (peer: Enode) => boolean
  readonly #wanted = new Map<string, Enode>()
  /** Removed before the network started: JSON-RPC answers earlier, and static nodes must not bring them back. */
  readonly #removedEarly = new Set<string>()
  #network: Dialler | undefined
  #self: string | undefined

  constructor(names: NameRules, permits: (peer: Enode) => boolean) {
    this.#names = names
    this.#permits = permits
  }

  /** Starts to forward changes to the network. */
  attach(network: Dialler, self: string, staticNodes: readonly Enode[]): void {
    this.#network = network
    this.#self = self
    for (const enode of staticNodes) {
      if (!this.#removedEarly.has(enode.id)) this.#wanted.set(enode.id, enode)
    }
    for (const enode of this.#wanted.values()) network.maintain(enode)
  }

  detach(): void {
    this.#network = undefined
  }

  urls(): readonly string[] {
    return Array.from(this.#wanted.values(), formatEnode)
  }

  /** Refuses a peer that may not connect, since dialling it would be useless. */
  async add(url: string): Promise<PeerListChange> {
    const enode = this.#read(url)
    if (typeof enode === 'string') return { ok: false, problem: enode }
    if (enode.id === this.#self) return { ok: true, changed: false }
    const place = await locate(enode, this.#names.resolve).catch(() => undefined)
    if (place === undefined) return { ok: false, problem: 'unknownHost' }
    if (!this.#permits(place)) return { ok: false, problem: 'notPermitted' }
    const wanted = this.#names.areKept ? enode : place
    const known = this.#wanted.get(wanted.id)
    if (known !== undefined && sameEndpoint(known, wanted)) return { ok: true, changed: false }
    this.#wanted.set(wanted.id, wanted)
    this.#removedEarly.delete(wanted.id)
    this.#network?.maintain(wanted)
    return { ok: true, changed: true }
  }

  /** Disconnects the peer; `changed` is true if it was maintained. */
  remove(url: string): PeerListChange {
    const enode = this.#read(url)
    if (typeof enode === 'string') return { ok: false, problem: enode }
    if (this.#network === undefined) this.#removedEarly.add(enode.id)
    else this.#network.remove(enode.id)
    return { ok: true, changed: this.#wanted.delete(enode.id) }
  }

  #read(url: string): Enode | EnodeProblem {
    try {
      const enode = parseEnode(url, { allowHostNames: this.#names.areAllowed })
      // A node without a TCP port cannot be dialled.
      return enode.tcpPort === null ? 'syntax' : enode
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.data.problem as EnodeProblem
    }
  }
}
