/** Reads nodes at random from one node list in DNS (EIP-1459), so nodes with the same list connect to different peers. */
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
/** Entries of the subtree with links that are read; a list has a few links. */
const MAX_LINK_ENTRIES = 32
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
  #links: { readonly from: string; readonly found: readonly ListAddress[] } | undefined

  constructor(address: ListAddress, parts: DnsListParts) {
    this.#address = address
    this.#parts = parts
  }

  /** A node at random; undefined if the walk ended without one. Rejects if DNS fails or the list is not valid. */
  async next(): Promise<Neighbor | undefined> {
    return this.#walk((await this.#currentRoot()).nodes)
  }

  /** Other lists that the owner of this one recommends. Rejects like `next`, also while they stay the same. */
  async links(): Promise<readonly ListAddress[]> {
    const { links } = await this.#currentRoot()
    if (this.#links?.from !== links) this.#links = { from: links, found: await this.#linksFrom(links) }
    return this.#links.found
  }

  /** A list is useful without its links, so an entry that is missing or not valid ends the search. */
  async #linksFrom(root: string): Promise<readonly ListAddress[]> {
    const found: ListAddress[] = []
    const names = [root]
    for (let read = 0; read < Math.min(names.length, MAX_LINK_ENTRIES); read++) {
      const entry = await this.#entry(names[read]!).catch(() => undefined)
      if (entry?.type === 'link') found.push(entry.address)
      if (entry?.type === 'branch') names.push(...entry.children)
    }
    return found
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
      if (entry.children.length === 0) return undefined
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
