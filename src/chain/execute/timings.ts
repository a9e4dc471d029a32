/** The time of every import step, for benchmarks and metrics. The clock is handed in. */
export const IMPORT_STEPS = [
  'validation',
  'recovery',
  'execution',
  'receipts',
  'root',
  'encoding',
  'commit',
] as const
export type ImportStep = (typeof IMPORT_STEPS)[number]

export class Timings {
  readonly nowMs: () => number
  /** Called after every measurement. */
  onMeasured: ((step: ImportStep, ms: number) => void) | undefined
  readonly #totalMs = new Map<ImportStep, number>()

  constructor(nowMs: () => number) {
    this.nowMs = nowMs
  }

  measure<Value>(step: ImportStep, run: () => Value): Value {
    const start = this.nowMs()
    try {
      return run()
    } finally {
      this.#add(step, start)
    }
  }

  async measureAsync<Value>(step: ImportStep, run: () => Promise<Value>): Promise<Value> {
    const start = this.nowMs()
    try {
      return await run()
    } finally {
      this.#add(step, start)
    }
  }

  totalMs(step: ImportStep): number {
    return this.#totalMs.get(step) ?? 0
  }

  #add(step: ImportStep, start: number): void {
    const ms = this.nowMs() - start
    this.#totalMs.set(step, this.totalMs(step) + ms)
    this.onMeasured?.(step, ms)
  }
}
