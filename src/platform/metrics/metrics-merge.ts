/** The result of prom-client's getMetricsAsJSON. It is plain data, so it can cross threads. */
export type MetricsData = readonly MetricData[]

export interface MetricData {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator?: string
  /** Category and name of its row; undefined for prom-client's own metrics. */
  readonly row?: { readonly category: string; readonly name: string }
  readonly values: readonly MetricSample[]
}

export interface MetricSample {
  /** Present if it differs from the metric's name, e.g. `x_count` of summary `x`. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** Merges the samples of several threads; samples of equal name and labels are combined. */
export function mergeMetrics(samples: readonly MetricsData[]): MetricsData {
  const byName = new Map<string, MetricData[]>()
  for (const metric of samples.flat()) {
    const group = byName.get(metric.name)
    if (group === undefined) byName.set(metric.name, [metric])
    else group.push(metric)
  }
  return [...byName.values()].map(mergeMetric)
}

/** Keeps only values that count up: no gauges and no quantiles. */
export function withoutMomentary(sample: MetricsData): MetricsData {
  return sample
    .filter((metric) => metric.type !== 'gauge')
    .map((metric) => ({ ...metric, values: metric.values.filter((sample) => !isQuantile(metric, sample)) }))
}

function mergeMetric(group: readonly MetricData[]): MetricData {
  const [first] = group as readonly [MetricData]
  if (group.length === 1) return first
  const samples = new Map<string, MetricSample>()
  for (const sample of group.flatMap((metric) => metric.values)) {
    const key = sampleKey(sample)
    const known = samples.get(key)
    samples.set(key, known === undefined ? sample : { ...known, value: combine(first, known, sample) })
  }
  return { ...first, values: [...samples.values()] }
}

/**
 * Quantiles of several threads cannot be combined exactly. The largest is an upper bound of the true one, and it shows
 * the thread that suffers instead of averaging it away.
 */
function combine(metric: MetricData, a: MetricSample, b: MetricSample): number {
  const takeLargest = isQuantile(metric, a) || metric.aggregator === 'max'
  return takeLargest ? Math.max(a.value, b.value) : a.value + b.value
}

function isQuantile(metric: MetricData, sample: MetricSample): boolean {
  return metric.type === 'summary' && 'quantile' in sample.labels
}

function sampleKey({ metricName, labels }: MetricSample): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([metricName, sorted])
}
