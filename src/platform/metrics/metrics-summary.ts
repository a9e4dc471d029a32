import type { Clock } from '#platform/clock.ts'
import type { MetricData, MetricSample } from './metrics-merge.ts'
import { WindowQuantiles } from './window-quantiles.ts'

/** Besu's quantiles, so its dashboards find every line. */
const QUANTILES = [0.2, 0.5, 0.8, 0.95, 0.99, 1]
const WINDOW_MS = 600_000

type Labels = Readonly<Record<string, string>>

interface Series {
  readonly labels: Labels
  readonly quantiles: WindowQuantiles
  sum: number
  count: number
}

export interface SummaryConfig {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
}

/** Replaces prom-client's summary, which costs as much as a small request. The output is the same. */
export class Summary {
  readonly name: string
  readonly #help: string
  readonly #labelNames: readonly string[]
  readonly #clock: Clock
  /** Keyed by label values. */
  readonly #series = new Map<string, Series>()

  constructor({ name, help, labelNames }: SummaryConfig, clock: Clock) {
    this.name = name
    this.#help = help
    this.#labelNames = labelNames
    this.#clock = clock
  }

  observe(labels: Labels, value: number): void {
    const nowMs = this.#clock.monotonicMs()
    const key = this.#keyOf(labels)
    const series = this.#series.get(key) ?? this.#add(key, labels, nowMs)
    series.quantiles.observe(value, nowMs)
    series.sum += value
    series.count += 1
  }

  /** Returns prom-client's format. */
  async get(): Promise<MetricData> {
    const values = [...this.#series.values()].flatMap((series) => this.#samplesOf(series))
    return { name: this.name, help: this.#help, type: 'summary', aggregator: 'sum', values }
  }

  #keyOf(labels: Labels): string {
    const names = this.#labelNames
    return names.length === 1 ? labels[names[0]!]! : JSON.stringify(names.map((name) => labels[name]))
  }

  #add(key: string, labels: Labels, nowMs: number): Series {
    const series = { labels, quantiles: new WindowQuantiles(WINDOW_MS, nowMs), sum: 0, count: 0 }
    this.#series.set(key, series)
    return series
  }

  #samplesOf({ labels, quantiles, sum, count }: Series): MetricSample[] {
    const values = quantiles.quantiles(QUANTILES, this.#clock.monotonicMs())
    return [
      ...QUANTILES.map((quantile, index) => ({ labels: { quantile, ...labels }, value: values[index]! })),
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ]
  }
}
