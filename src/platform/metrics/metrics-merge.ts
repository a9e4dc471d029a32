/** What prom-client's getMetricsAsJSON gives: plain data, so it crosses threads. */
export type MetricsSnapshot = readonly MetricData[]

export interface MetricData {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator?: string
  /** As its row has them; undefined: a metric of the library's own. */
  readonly row?: { readonly category: string; readonly name: string }
  readonly values: readonly MetricSample[]
}

export interface MetricSample {
  /** Present where it differs from the metric's, e.g. `x_count` of summary `x`. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** One snapshot from those of several threads, samples of equal name and labels combined. */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const byName = new Map<string, MetricData[]>()
  for (const metric of snapshots.flat()) {
    const group = byName.get(metric.name)
    if (group === undefined) byName.set(metric.name, [metric])
    else group.push(metric)
  }
  return [...byName.values()].map(mergeMetric)
}

/** Only what counts up: sums and counts, neither gauges nor quantiles. */
export function withoutMomentary(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot
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
 * Quantiles of several threads cannot be combined exactly. The largest is a bound that the true one
 * does not exceed, and it shows the thread that suffers instead of averaging it away.
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
