/** Reads nodes at random from a node list in DNS (EIP-1459), so nodes with the same list connect to different peers. */
import { Resolver } from 'node:dns/promises'
import type { NodeRecord, RecordParts } from '#p2p/discv4/node-record.ts'
import type { Neighbor } from '#p2p/discv4/packet.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Random } from '#platform/random.ts'
import { Fault } from '#types/fault.ts'
import { decodeEntry, decodeRoot, type ListAddress, type ListEntry, type ListRoot } from './list-entry.ts'

/** A list changes every few hours. */
const ROOT_MS = 30 * 60_000
/** A tree of this depth has more nodes than any network. */
const MAX_DEPTH = 10
const MAX_KEPT = 2_000
const ANSWER_MS = 3_000
const TRIES = 2

/** Resolves with the texts at a name, each joined from its parts. */
export type LookUpText = (name: string) => Promise<readonly string[]>

/** Asks a DNS server (`ADDRESS` or `ADDRESS:PORT`), or those of the system. */
export function dnsLookUp(server: string | undefined): LookUpText {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: TRIES })
  if (server !== undefined) resolver.setServers([server])
  return async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
}

export interface DnsListParts extends RecordParts {
  readonly clock: Clock
  readonly random: Random
  readonly lookUp: LookUpText
}

export class DnsList {
  readonly #address: ListAddress
  readonly #parts: DnsListParts
  /** Entries never change, because their names are their hashes. */
  readonly #entries = new BoundedMap<string, ListEntry>(MAX_KEPT)
  #root: (ListRoot & { readonly readAtMs: number }) | undefined

  constructor(address: ListAddress, parts: DnsListParts) {
    this.#address = address
    this.#parts = parts
  }

  /** Up to `count` nodes of the list, without duplicates. Rejects if DNS fails or the list is not valid. */
  async sample(count: number): Promise<readonly Neighbor[]> {
    const { nodes } = await this.#currentRoot()
    const found = new Map<string, Neighbor>()
    for (let walk = 0; walk < count; walk++) {
      const node = await this.#walk(nodes)
      if (node !== undefined) found.set(node.id, node)
    }
    return [...found.values()]
  }

  async #currentRoot(): Promise<ListRoot> {
    const { clock, lookUp } = this.#parts
    const nowMs = clock.monotonicMs()
    if (this.#root !== undefined && nowMs - this.#root.readAtMs < ROOT_MS) return this.#root
    const texts = await lookUp(this.#address.domain)
    const text = texts.find((each) => each.startsWith('enrtree-root:')) ?? ''
    const root = decodeRoot(text, this.#address, this.#parts)
    // An older root would bring back nodes that the owner removed.
    if (this.#root === undefined || root.sequence >= this.#root.sequence)
      this.#root = { ...root, readAtMs: nowMs }
    return this.#root
  }

  /** Descends from an entry to a node with an endpoint; undefined if the walk ends elsewhere. */
  async #walk(from: string): Promise<Neighbor | undefined> {
    let name = from
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const entry = await this.#entry(name)
      if (entry?.type === 'node') return endpointOf(entry.record)
      if (entry?.type !== 'branch') return undefined
      name = entry.children[this.#parts.random.randomBelow(entry.children.length)]!
    }
    return undefined
  }

  /** Undefined for a node whose record is not valid: others of the list may be. */
  async #entry(name: string): Promise<ListEntry | undefined> {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const [text] = await this.#parts.lookUp(`${name}.${this.#address.domain}`)
    try {
      const entry = decodeEntry(name, text ?? '', this.#parts)
      this.#entries.set(name, entry)
      return entry
    } catch (error) {
      if (error instanceof Fault && error.kind === 'INVALID_NODE_RECORD') return undefined
      throw error
    }
  }
}

function endpointOf({ id, ip, udpPort, tcpPort }: NodeRecord): Neighbor | undefined {
  return ip === null || udpPort === null ? undefined : { id, ip, udpPort, tcpPort: tcpPort ?? 0 }
}
