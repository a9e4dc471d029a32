/** Besu's names, in its order: each level includes those before it. ALL and TRACE are the same. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
/** The levels a line can have. */
export type LineLevel = Exclude<LogLevel, 'OFF' | 'ALL'>

export function logLevelRank(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level)
}

/** Which level applies to which logger name. The longest matching prefix decides; names nest by dots. */
export class LevelRules {
  /** Grows with every change, so that loggers know when to look again. */
  version = 0
  readonly #levels = new Map<string, LogLevel>()

  constructor(level: LogLevel) {
    this.#levels.set('', level)
  }

  /** Sets the level of the named loggers and of all beneath them; without names, of every logger. */
  set(level: LogLevel, names: readonly string[] = ['']): void {
    for (const name of names) {
      for (const known of [...this.#levels.keys()]) if (isWithin(known, name)) this.#levels.delete(known)
      this.#levels.set(name, level)
    }
    this.version += 1
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

function isWithin(name: string, ancestor: string): boolean {
  return ancestor === '' || name === ancestor || name.startsWith(`${ancestor}.`)
}
