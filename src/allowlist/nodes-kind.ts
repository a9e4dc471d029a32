/**
 * The allowlist of nodes: enode URLs. With DNS enabled, an entry may name a host, which is either resolved once and stored as
 * an address, or kept and resolved periodically.
 */

import { BoundedMap } from '#platform/bounded-map.ts'
import { type Clock, withDeadline } from '#platform/clock.ts'
import { inSlices, type Sliced } from '#platform/next-turn.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import { type Enode, formatEnode, parseEnode, sameEndpoint } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import type { EntryRefusal, ListKind } from './list-kind.ts'

/** Maximum host names with a remembered address; the least recent is evicted. */
const NAMES_MAX = 10_000
/** Lookups block threads of the libuv pool, which has few. */
const LOOKUPS_AT_ONCE = 4
const LOOKUP_MS = 5_000
/** More entries than a file can hold. */
const KNOWN_MAX = 60_000

export interface NodesSettings {
  readonly file: string
  /** How host names in entries are treated. */
  readonly names: 'refused' | 'resolved once' | 'kept'
  /** Resolves a host to its canonical address; rejects if the lookup fails. */
  readonly resolve: (name: string) => Promise<string>
  /** Bootnodes and static nodes. They must be listed at start, and methods cannot remove them. */
  readonly fixed: readonly Enode[]
}

export class NodesKind implements ListKind {
  readonly key = 'nodes-allowlist'
  readonly oldKey = 'nodes-whitelist'
  readonly entry = 'node'
  /** Besu writes files with duplicates. */
  readonly mayRepeat = true
  readonly #settings: NodesSettings
  readonly #clock: Clock
  readonly #addresses = new BoundedMap<string, string>(NAMES_MAX)
  /** Parsed entries, cached because every change reads the complete file several times. */
  readonly #known = new Map<string, { readonly enode: Enode; readonly entry: string }>()

  constructor(settings: NodesSettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  get keepsNames(): boolean {
    return this.#settings.names === 'kept'
  }

  parse(text: string): string | undefined {
    const known = this.#known.get(text)
    if (known !== undefined) return known.entry
    const enode = this.#read(text)
    if (enode instanceof Fault) return undefined
    if (enode.hostKind !== 'name') return this.#keep(text, enode)
    if (this.keepsNames) return formatEnode(enode)
    const resolved = this.#resolved(enode)
    return resolved.hostKind === 'name' ? undefined : formatEnode(resolved)
  }

  whyInvalid(text: string, where: string): string {
    const enode = this.#read(text)
    return enode instanceof Fault
      ? `${enode.message} Found in ${where}.`
      : `Invalid IP address: DNS does not resolve the host ${enode.host} in ${where}. Correct the name, or write its address.`
  }

  async prepare(texts: readonly string[], isAnew: boolean): Promise<boolean> {
    const names = await inSlices(this.#namesIn(texts))
    await this.learn(isAnew ? names : [...names].filter((name) => !this.#addresses.has(name)))
    return names.size > 0
  }

  /** Resolves names, including known ones. A known address survives a failed lookup. Returns true if an address changed. */
  async learn(names: Iterable<string>): Promise<boolean> {
    let isOther = false
    const waiting = [...names]
    const work = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const known = this.#addresses.get(name)
        const address = (await this.#lookUp(name)) ?? known
        if (address === undefined) continue
        isOther ||= address !== known
        this.#addresses.set(name, address)
      }
    }
    await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work))
    return isOther
  }

  *spell(entries: readonly string[], listed: ReadonlySet<string>): Sliced<readonly string[] | EntryRefusal> {
    const enodes: Enode[] = []
    const places: string[] = []
    for (const entry of entries) {
      yield
      const enode = parseEnode(entry, { allowHostNames: true })
      const resolved = this.#resolved(enode)
      if (enode.hostKind === 'name') {
        if (this.#settings.names === 'refused') return 'HOST_NAME'
        if (resolved.hostKind === 'name' && !listed.has(formatEnode(enode))) return 'INVALID'
      }
      enodes.push(enode)
      places.push(formatEnode(resolved))
    }
    if (new Set(places).size < places.length) return 'DUPLICATE'
    if (!this.keepsNames) return places
    const standing = new Map<string, string>()
    for (const text of listed) {
      yield
      standing.set(formatEnode(this.node(text)), text)
    }
    return enodes.map((enode, index) => {
      const text = formatEnode(enode)
      return listed.has(text) ? text : (standing.get(places[index]!) ?? text)
    })
  }

  isFixed(entry: string): boolean {
    const node = this.node(entry)
    return this.#settings.fixed.some((fixed) => sameEndpoint(this.#resolved(fixed), node))
  }

  /** Fixed nodes that are not listed. */
  async missingFixed(entries: readonly string[]): Promise<readonly Enode[]> {
    const { fixed } = this.#settings
    await this.prepare(fixed.map(formatEnode), false)
    const nodes = new EndpointSet(entries.map((entry) => this.node(entry)))
    return fixed.filter((each) => !nodes.has(this.#resolved(each)))
  }

  /** Returns the node of an entry, with its host name if that is not resolved. */
  node(entry: string): Enode {
    return this.#known.get(entry)?.enode ?? this.#resolved(parseEnode(entry, { allowHostNames: true }))
  }

  *#namesIn(texts: readonly string[]): Sliced<ReadonlySet<string>> {
    const names = new Set<string>()
    for (const text of texts) {
      yield
      const enode = this.#read(text)
      if (!(enode instanceof Fault) && enode.hostKind === 'name') names.add(enode.host)
    }
    return names
  }

  #keep(text: string, enode: Enode): string {
    const entry = formatEnode(enode)
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    for (const each of [text, entry]) this.#known.set(each, { enode, entry })
    return entry
  }

  #read(text: string): Enode | Fault {
    try {
      return parseEnode(text, { allowHostNames: this.#settings.names !== 'refused' })
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
  }

  #resolved(enode: Enode): Enode {
    const host = enode.hostKind === 'name' ? this.#addresses.get(enode.host) : undefined
    return host === undefined ? enode : { ...enode, host, hostKind: host.includes(':') ? 'ipv6' : 'ipv4' }
  }

  async #lookUp(name: string): Promise<string | undefined> {
    try {
      return await withDeadline(this.#clock, LOOKUP_MS, this.#settings.resolve(name))
    } catch {
      return undefined
    }
  }
}
