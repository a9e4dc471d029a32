import type { MetricData, MetricSample, MetricsData } from '#platform/metrics/metrics-merge.ts'

/** A number, or the entries below a category, a metric or a label value. */
export interface MetricsTree {
  readonly [step: string]: number | MetricsTree
}

type Branch = { [step: string]: number | Branch }

/** Metrics by category, name and label values, without those of the client library. */
export function presentMetrics(sample: MetricsData): Readonly<Record<string, MetricsTree>> {
  const root: Record<string, Branch> = {}
  for (const metric of sample) {
    if (metric.row === undefined) continue
    const { category, name } = metric.row
    root[category] ??= newBranch()
    for (const sample of metric.values)
      plant(root[category], [name, ...stepsOf(metric, sample)], sample.value)
  }
  return root
}

/** The `0.5` of a summary is below `quantile`, next to `count` and `sum`; likewise the buckets of a histogram. */
function stepsOf({ name }: MetricData, { metricName = name, labels }: MetricSample): string[] {
  const { quantile, le, ...others } = labels
  const steps = Object.values(others).map(String)
  if (quantile !== undefined) steps.push('quantile', formatBound(quantile))
  else if (le !== undefined) steps.push('bucket', formatBound(le))
  else if (metricName !== name) steps.push(metricName.slice(name.length + 1))
  return steps
}

/** As Besu writes a number: with a fraction. */
function formatBound(bound: string | number): string {
  const text = String(bound)
  return /^\d+$/.test(text) ? `${text}.0` : text
}

function plant(start: Branch, steps: readonly string[], value: number): void {
  let branch = start
  for (const step of steps.slice(0, -1)) {
    const next = branch[step] ?? newBranch()
    // All samples of a metric have the same labels, so a number never takes the place of a branch.
    branch[step] = next
    branch = next as Branch
  }
  branch[steps.at(-1)!] = value
}

/** Without a prototype, because label values may be any text. */
function newBranch(): Branch {
  return Object.create(null)
}
