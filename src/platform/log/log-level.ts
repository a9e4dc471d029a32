/** Besu's names, in its order: each level includes those before it. ALL and TRACE are the same. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
/** The levels a line can have. */
export type LineLevel = Exclude<LogLevel, 'OFF' | 'ALL'>

export function logLevelRank(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level)
}

/** Rules for loggers by name. A node has some dozen loggers. */
const RULES_MAX = 512

/** Which level applies to which logger name. The longest matching prefix decides; names nest by dots. */
export class LevelRules {
  /** Grows with every change, so that loggers know when to look again. */
  version = 0
  #levels = new Map<string, LogLevel>()

  constructor(level: LogLevel) {
    this.#levels.set('', level)
  }

  /**
   * Sets the level of the named loggers and of all beneath them; without names, of every logger. Returns false, and changes
   * nothing, if that would be more rules than there may be.
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

  /** By names; '' stands for all others. */
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

/** Whether one of `named` is the logger or lies above it; '' lies above all. */
function isWithin(logger: string, named: ReadonlySet<string>): boolean {
  if (named.has('')) return true
  for (let name = logger; name !== ''; name = parentOf(name)) if (named.has(name)) return true
  return false
}
