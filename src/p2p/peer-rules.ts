/**
 * Decides who may be a peer by options and by a list of permitted nodes, which its owner replaces as a whole. It answers
 * synchronously, so a change of the list applies from the next step on.
 */
import { usageFault } from '#config/faults.ts'
import { type Clock, withDeadline } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import type { Enode } from '#types/enode.ts'
import { type IpRange, isInRange } from './ip-bytes.ts'
import { P2P_PROBLEMS } from './log-problems.ts'

/** The step about to happen. */
export type PeerAction =
  | 'keepInTable'
  | 'bondOutbound'
  | 'bondInbound'
  | 'askNeighbors'
  | 'tellNeighbors'
  | 'connectOutbound'
  | 'connectInbound'
  | 'stayOutbound'
  | 'stayInbound'

/** Decides who may be a peer, for allowlists and plugins. It is asked at every step at which Besu asks. */
export type MayConnect = (action: PeerAction, peer: Enode) => Promise<boolean>

const DEADLINE_MS = 2_000

export const EVERYONE_MAY: MayConnect = async () => true

/** A late or failed answer means no: a protective list fails closed. */
export function failClosed(mayConnect: MayConnect, clock: Clock, log: Log): MayConnect {
  if (mayConnect === EVERYONE_MAY) return mayConnect
  return async (action, peer) => {
    try {
      return await withDeadline(
        clock,
        DEADLINE_MS,
        mayConnect(action, peer),
        'The question whether a peer is permitted',
      )
    } catch (err) {
      log.warn(P2P_PROBLEMS.permissionUnknown, { id: peer.id, err })
      return false
    }
  }
}

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
  /** If empty, every address is permitted. */
  readonly #ranges: readonly IpRange[]
  /** Called for every lookup in the list. */
  readonly #onCheck: (isPermitted: boolean) => void
  /** If undefined, every node is permitted. */
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

  /** Replaces the list; the caller must recheck connected peers. If undefined, every node is permitted. */
  permitOnly(nodes: readonly Enode[] | undefined): void {
    this.#permitted = nodes && new EndpointSet(nodes)
  }

  /** Judges a node by id, address and port. A host name must be resolved before. */
  permits(peer: Enode): boolean {
    return this.#permitsPlace(peer.id, peer.host) && this.#isListed((list) => list.has(peer))
  }

  /** Judges a node whose port is not known yet. */
  permitsHost(id: string, ip: string): boolean {
    return this.#permitsPlace(id, ip) && this.#isListed((list) => list.hasHost(id, ip))
  }

  /** Judges an address before anything is read from it. */
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

/** The rules take precedence over `mayConnect`, even if they change while it is asked. */
export function withinRules(rules: PeerRules, mayConnect: MayConnect): MayConnect {
  return async (action, peer) =>
    rules.permits(peer) && (await mayConnect(action, peer)) && rules.permits(peer)
}
