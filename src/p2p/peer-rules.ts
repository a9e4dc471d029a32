/**
 * Who may be a peer by what this node knows itself: options, and a list of permitted nodes that somebody else keeps and
 * hands in as a whole. It is asked without waiting, so that a change of the list counts from the next step on.
 */
import { usageFault } from '#config/faults.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import type { Enode } from '#types/enode.ts'
import { type IpRange, isInRange } from './ip-range.ts'
import type { MayConnect } from './may-connect.ts'

const NODE_ID = /^(?:0x)?([0-9a-fA-F]{128})$/

export function parseBannedId(text: string): string {
  const id = NODE_ID.exec(text)?.[1]
  if (id === undefined) {
    throw usageFault(`Invalid ids supplied to '--banned-node-ids'. A node id has 128 hex digits: '${text}'.`)
  }
  return id.toLowerCase()
}

export class PeerRules {
  readonly #banned: ReadonlySet<string>
  /** Empty: every address. */
  readonly #ranges: readonly IpRange[]
  /** Told of every look into the list. */
  readonly #onCheck: (isPermitted: boolean) => void
  /** undefined: every node. */
  #permitted: EndpointSet | undefined

  constructor(
    bannedIds: readonly string[],
    ranges: readonly IpRange[],
    permitted: readonly Enode[] | undefined,
    onCheck: (isPermitted: boolean) => void = () => {},
  ) {
    this.#onCheck = onCheck
    this.#banned = new Set(bannedIds)
    this.#ranges = ranges
    this.permitOnly(permitted)
  }

  /** From now on; whoever is connected is to be judged anew. undefined: every node. */
  permitOnly(nodes: readonly Enode[] | undefined): void {
    this.#permitted = nodes && new EndpointSet(nodes)
  }

  /** By id, address and port. The node has an address: a name is judged by the one that it has. */
  permits(peer: Enode): boolean {
    return this.#permitsPlace(peer.id, peer.host) && this.#isListed((list) => list.has(peer))
  }

  /** As much as can be said of a node that has not told its port yet. */
  permitsHost(id: string, ip: string): boolean {
    return this.#permitsPlace(id, ip) && this.#isListed((list) => list.hasHost(id, ip))
  }

  /** As much as can be said of an address before anything is read from it. */
  permitsAddress(ip: string): boolean {
    if (!this.#isInRanges(ip)) return false
    if (this.#permitted === undefined || this.#permitted.hasAddress(ip)) return true
    this.#onCheck(false)
    return false
  }

  #isListed(look: (list: EndpointSet) => boolean): boolean {
    if (this.#permitted === undefined) return true
    const isPermitted = look(this.#permitted)
    this.#onCheck(isPermitted)
    return isPermitted
  }

  #permitsPlace(id: string, ip: string): boolean {
    return !this.#banned.has(id) && this.#isInRanges(ip)
  }

  #isInRanges(ip: string): boolean {
    return this.#ranges.length === 0 || this.#ranges.some((range) => isInRange(range, ip))
  }
}

/** What the rules forbid is forbidden, whatever others permit, and also if they changed while others were asked. */
export function withinRules(rules: PeerRules, mayConnect: MayConnect): MayConnect {
  return async (action, peer) =>
    rules.permits(peer) && (await mayConnect(action, peer)) && rules.permits(peer)
}
