/** Always served, so no option names it. */
export const ALWAYS_ENABLED = 'RPC'

export interface KnownNames {
  /** Names that have code behind them. */
  readonly served: Iterable<string>
  /** Further names that options may mention. */
  readonly known: ReadonlySet<string>
  /** APIs without methods; configurations that name them still start, with a warning. */
  readonly retiredApis: readonly string[]
}

/** The names that options may mention. The methods that a node loads, not these names, decide what it serves. */
export class MethodNames {
  readonly #served: Set<string>
  readonly #known: ReadonlySet<string>
  readonly retiredApis: readonly string[]

  constructor({ served, known, retiredApis }: KnownNames) {
    this.#served = new Set(served)
    this.#known = known
    this.retiredApis = retiredApis
  }

  /** Adds names of methods from outside the package, before options are read. */
  add(names: Iterable<string>): void {
    for (const name of names) this.#served.add(name)
  }

  all(): ReadonlySet<string> {
    return this.#known.union(this.#served)
  }

  /** APIs that an option may enable, in upper case as Besu demands; some have no method yet. */
  apis(): readonly string[] {
    return apisOf(this.all())
  }

  servedApis(): readonly string[] {
    return apisOf(this.#served)
  }
}

/** `net_version` belongs to NET, `rpc.discover` to RPC. */
export function apiOf(wireName: string): string {
  return wireName.slice(0, wireName.search(/[_.]/)).toUpperCase()
}

export function apisOf(names: Iterable<string>): readonly string[] {
  const apis = new Set([...names].map(apiOf))
  apis.delete(ALWAYS_ENABLED)
  return [...apis].sort()
}
