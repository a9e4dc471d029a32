/**
 * An `error` keeps the network from starting or working as written. With a `warning` it works, but probably not as
 * intended.
 */
export type GenesisSeverity = 'error' | 'warning'

export interface GenesisFinding {
  /** The position in the file, with keys as spelled there: `$.config.qbft.blockperiodseconds`. */
  readonly path: string
  /** What is wrong and what to do about it. */
  readonly sentence: string
  readonly severity: GenesisSeverity
}

/** More mistakes than this are not listed; the list says that it was cut. */
export const MAX_GENESIS_FINDINGS = 1_000

/** Longer than any storage slot. The search for broken parents is quadratic in the length of a path. */
const MAX_KEY_LENGTH = 80

/** Collects everything that is wrong with a file: one finding per path, and none below a broken one. */
export class GenesisProblems {
  readonly #byPath = new Map<string, GenesisFinding>()
  #cut = false

  add(path: string, sentence: string, severity: GenesisSeverity = 'error'): void {
    if (this.isBroken(path)) return
    if (severity === 'warning' && this.#byPath.has(path)) return
    if (this.#byPath.size >= MAX_GENESIS_FINDINGS) {
      this.#cut = true
      return
    }
    this.#byPath.set(path, { path, sentence, severity })
  }

  warn(path: string, sentence: string): void {
    this.add(path, sentence, 'warning')
  }

  /** Whether the value at a path or a parent has an error, so no rule can judge it. */
  isBroken(path: string): boolean {
    for (let at = path; at !== ''; at = parentPath(at)) {
      if (this.#byPath.get(at)?.severity === 'error') return true
    }
    return false
  }

  get findings(): GenesisFinding[] {
    const findings = [...this.#byPath.values()]
    if (this.#cut) {
      findings.push({
        path: '$',
        sentence: `There are more than ${MAX_GENESIS_FINDINGS} mistakes; correct these first.`,
        severity: 'error',
      })
    }
    return findings
  }

  get errors(): GenesisFinding[] {
    return this.findings.filter((finding) => finding.severity === 'error')
  }
}

/** JSONPath, with brackets if a key is not one word, and long keys cut. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (key.length <= MAX_KEY_LENGTH && /^[\w-]+$/.test(key)) return `${parent}.${key}`
  const shown = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}...` : key
  return `${parent}[${JSON.stringify(shown)}]`
}

function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0))
}

/** One line for people: `error at $.config.chainId: …`. */
export function formatGenesisFinding({ path, sentence, severity }: GenesisFinding): string {
  return `${severity} at ${path}: ${sentence}`
}
