/** Besu's names in its order: each level includes the levels before it. ALL and TRACE are the same. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
/** The levels that a line can have. */
export type LineLevel = Exclude<LogLevel, 'OFF' | 'ALL'>

export function logLevelRank(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level)
}

/** Maximum number of rules. A node has some dozen loggers. */
const RULES_MAX = 512

/** The level of each logger. The longest matching prefix decides; names nest by dots. */
export class LevelRules {
  /** Increases with every change, so loggers know when to look again. */
  version = 0
  #levels = new Map<string, LogLevel>()

  constructor(level: LogLevel) {
    this.#levels.set('', level)
  }

  /**
   * Sets the level of the named loggers and their children, or of every logger if none is named. Returns false, and
   * changes nothing, if there would be too many rules.
   */
  set(level: LogLevel, names: readonly string[] = ['']): boolean {
    const next = new Map<string, LogLevel>()
    const named = new Set(names)
    for (const [known, old] of this.#levels) if (!isWithin(known, named)) next.set(known, old)
    for (const name of named) next.set(name, level)
    if (next.size > RULES_MAX) return false
    this.#levels = next
    this.version += 1
    return true
  }

  /** Levels by logger name; '' is the default. */
  all(): Readonly<Record<string, LogLevel>> {
    return Object.fromEntries(this.#levels)
  }

  levelOf(name: string): LogLevel {
    for (let prefix = name; prefix !== ''; prefix = parentOf(prefix)) {
      const level = this.#levels.get(prefix)
      if (level !== undefined) return level
    }
    return this.#levels.get('') ?? 'OFF'
  }
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')))
}

/** True if `named` contains the logger or an ancestor of it; '' is the ancestor of all. */
function isWithin(logger: string, named: ReadonlySet<string>): boolean {
  if (named.has('')) return true
  for (let name = logger; name !== ''; name = parentOf(name)) if (named.has(name)) return true
  return false
}
