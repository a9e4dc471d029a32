/**
 * The list of nodes that may connect: enode URLs. An entry may name a host where options say so. Such a name is resolved
 * once and the address takes its place, or it is kept and resolved again and again.
 */
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { inSlices, type Sliced } from '#platform/next-turn.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import { type Enode, formatEnode, parseEnode, sameEndpoint } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import type { EntryRefusal, ListKind } from './list-kind.ts'

/** Names whose addresses are remembered; those asked for last. */
const NAMES_MAX = 10_000
/** The pool of the system that does it has few threads. */
const LOOKUPS_AT_ONCE = 4
const LOOKUP_MS = 5_000
/** More than a file holds. */
const KNOWN_MAX = 60_000

export interface NodesSettings {
  readonly file: string
  /** What a host name in an entry is. */
  readonly names: 'refused' | 'resolved once' | 'kept'
  /** The canonical address of a host. Rejects where there is none. */
  readonly resolve: (name: string) => Promise<string>
  /** Bootnodes and static nodes: they are on the list at the start, and methods do not take them off. */
  readonly fixed: readonly Enode[]
}

export class NodesKind implements ListKind {
  readonly key = 'nodes-allowlist'
  readonly oldKey = 'nodes-whitelist'
  readonly entry = 'node'
  /** Besu writes such files. */
  readonly mayRepeat = true
  readonly #settings: NodesSettings
  readonly #clock: Clock
  readonly #addresses = new Map<string, string>()
  /** Entries that were read before: every change looks at the whole file, several times. */
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
      ? `${enode.message} It stands in ${where}.`
      : `Invalid IP address: nobody knows the host ${enode.host}, which ${where} names. Correct the name, or write its address.`
  }

  async prepare(texts: readonly string[], isAnew: boolean): Promise<boolean> {
    const names = await inSlices(this.#namesIn(texts))
    await this.learn(isAnew ? names : [...names].filter((name) => !this.#addresses.has(name)))
    return names.size > 0
  }

  /** Resolves names, also known ones; an address stays known while nobody answers. True if one is another than before. */
  async learn(names: Iterable<string>): Promise<boolean> {
    let isOther = false
    const waiting = [...names]
    const work = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        const known = this.#addresses.get(name)
        const address = (await this.#lookUp(name)) ?? known
        if (address === undefined) continue
        isOther ||= address !== known
        this.#remember(name, address)
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

  /** Fixed nodes that the list lacks. */
  async missingFixed(entries: readonly string[]): Promise<readonly Enode[]> {
    const { fixed } = this.#settings
    await this.prepare(fixed.map(formatEnode), false)
    const nodes = new EndpointSet(entries.map((entry) => this.node(entry)))
    return fixed.filter((each) => !nodes.has(this.#resolved(each)))
  }

  /** What an entry stands for now; it still has a name where nobody knows the host. */
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

  #remember(name: string, address: string): void {
    this.#addresses.delete(name)
    this.#addresses.set(name, address)
    if (this.#addresses.size > NAMES_MAX) this.#addresses.delete(this.#addresses.keys().next().value!)
  }

  async #lookUp(name: string): Promise<string | undefined> {
    const deadline = deadlineSignal(this.#clock, LOOKUP_MS)
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    deadline.addEventListener('abort', () => resolve(undefined), { once: true })
    try {
      return await Promise.race([this.#settings.resolve(name), late])
    } catch {
      return undefined
    } finally {
      deadline.clear()
    }
  }
}
