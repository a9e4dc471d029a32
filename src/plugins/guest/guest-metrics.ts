import type { Metric, MetricDeclarations } from '#plugins/define-plugin.ts'
import type { MetricValue } from '#plugins/plugin-protocol.ts'
import { assert } from '#types/assert.ts'

/** Maximum label combinations per metric; further ones are not counted. */
const MAX_SERIES = 1_000

/** The values of a plugin's metrics. Main holds their declarations. */
export class GuestMetrics {
  readonly #values = new Map<string, Map<string, MetricValue>>()

  of(declarations: MetricDeclarations): Readonly<Record<string, Metric>> {
    return Object.fromEntries(
      Object.entries(declarations).map(([name, { kind, labels = [] }]) => {
        if (labels.length === 0) this.#change(name, {}, () => 0)
        return [
          name,
          {
            add: (by = 1, given = {}) => {
              assert(kind === 'gauge' || by >= 0, `The counter ${name} only rises.`)
              this.#change(name, given, (value) => value + by)
            },
            set: (value, given = {}) => {
              assert(kind === 'gauge', `${name} is a counter: use add.`)
              this.#change(name, given, () => value)
            },
          } satisfies Metric,
        ]
      }),
    )
  }

  all(): readonly MetricValue[] {
    return [...this.#values.values()].flatMap((series) => [...series.values()])
  }

  #change(name: string, labels: Readonly<Record<string, string>>, change: (value: number) => number): void {
    let series = this.#values.get(name)
    if (series === undefined) {
      series = new Map()
      this.#values.set(name, series)
    }
    const key = JSON.stringify(Object.entries(labels).sort())
    const known = series.get(key)
    if (known === undefined && series.size >= MAX_SERIES) return
    const value = change(known?.value ?? 0)
    assert(Number.isFinite(value), `A value of the metric ${name} is a finite number.`)
    series.set(key, { name, labels: { ...labels }, value })
  }
}
