import type { RootLog } from './log.ts'
import type { LogLevel } from './log-level.ts'

/** Sets the levels of one thread. */
export type TellLevel = (level: LogLevel, names: readonly string[] | undefined) => Promise<unknown>

/** The log levels of a node: a change reaches every thread that joined, and a thread that starts later logs as the others do. */
export class SharedLevels {
  readonly #log: Pick<RootLog, 'setLevel' | 'levels'>
  readonly #threads = new Set<TellLevel>()
  #isChanged = false

  constructor(log: Pick<RootLog, 'setLevel' | 'levels'>) {
    this.#log = log
  }

  all(): ReturnType<RootLog['levels']> {
    return this.#log.levels()
  }

  /** Resolves when every thread knows, or is gone or does not answer. */
  async set(level: LogLevel, names: readonly string[] | undefined): Promise<'set' | 'tooMany'> {
    if (!this.#log.setLevel(level, names)) return 'tooMany'
    this.#isChanged = true
    await Promise.allSettled([...this.#threads].map((tell) => tell(level, names)))
    return 'set'
  }

  /** A thread is at work, until `exited` resolves. It has the levels of the options. */
  join(tell: TellLevel, exited?: Promise<unknown>): void {
    this.#threads.add(tell)
    void exited?.then(() => this.#threads.delete(tell))
    if (!this.#isChanged) return
    // A name comes before those beneath it, which it would change.
    const byName = Object.entries(this.all()).sort(([one], [other]) => (one < other ? -1 : 1))
    for (const [name, level] of byName) {
      // It may have ended; the next one is told then.
      tell(level, name === '' ? undefined : [name]).catch(() => undefined)
    }
  }
}
