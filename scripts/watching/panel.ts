/** Dashboard panels as data: an expression is built from a metric's row, so no name can be misspelled. */
import { type MetricRow, metricName } from '#platform/metrics/metrics.ts'

/** The default of `--metrics-prefix`. */
export const PREFIX = 'cairn_'

export interface Target {
  readonly expr: string
  /** The name of a line; Grafana fills in the labels. */
  readonly legend: string
}

export interface Panel {
  readonly title: string
  /** The tooltip. */
  readonly help: string
  /** A Grafana unit: s, bytes, percentunit, reqps, short, … */
  readonly unit: string
  readonly kind: 'timeseries' | 'stat'
  readonly targets: readonly Target[]
}

export interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly help: string
  readonly sections: readonly Section[]
}

/** Selects the chosen nodes. */
export const CHOSEN = '{instance=~"$instance"}'

export const nameOf = (row: MetricRow): string => metricName(row, PREFIX)

/** A metric of the chosen nodes; `part` is `_sum` or `_count` of a summary. */
export const of = (row: MetricRow, part = ''): string => `${nameOf(row)}${part}${CHOSEN}`

/** A counter's rate per second. */
export function rateOf(row: MetricRow, ...by: string[]): string {
  return `sum by (${['instance', ...by].join(', ')}) (rate(${of(row)}[$__rate_interval]))`
}

/** A quantile of a summary over its window; empty if nothing was observed. */
export function quantileOf(row: MetricRow, quantile: number): string {
  return `${nameOf(row)}{instance=~"$instance", quantile="${quantile}"}`
}

/** A counter of rare failures has no line before the first one, and 0 says more than an empty panel. */
export const orZero = (expr: string): string => `${expr} or on() vector(0)`

interface PanelWords {
  readonly help?: string
  readonly unit?: string
}

/** A line per node, for one metric or more. The panel's help is that of the first row. */
export function lines(
  title: string,
  rows: readonly (readonly [MetricRow, Target])[],
  words: PanelWords = {},
): Panel {
  return {
    title,
    help: words.help ?? `${rows[0]![0].help}.`,
    unit: words.unit ?? 'short',
    kind: 'timeseries',
    targets: rows.map(([, target]) => target),
  }
}

/** A metric's value by node; `legend` distinguishes several metrics. */
export const value = (row: MetricRow, legend = ''): readonly [MetricRow, Target] => [
  row,
  { expr: of(row), legend: `{{instance}}${legend && ` ${legend}`}` },
]

/** The value of a metric with labels. */
export const valueBy = (row: MetricRow, label: string): readonly [MetricRow, Target] => [
  row,
  { expr: of(row), legend: `{{instance}} {{${label}}}` },
]

/** A metric's rate per second, by node and labels. */
export const rate = (row: MetricRow, ...by: string[]): readonly [MetricRow, Target] => [
  row,
  { expr: rateOf(row, ...by), legend: ['{{instance}}', ...by.map((label) => `{{${label}}}`)].join(' ') },
]

/** The rate of an event that may never happen. */
export const rareRate = (row: MetricRow, ...by: string[]): readonly [MetricRow, Target] => {
  const [, { expr, legend }] = rate(row, ...by)
  return [row, { expr: orZero(expr), legend }]
}

/** A custom expression over a metric. */
export const told = (row: MetricRow, expr: string, legend = '{{instance}}'): readonly [MetricRow, Target] => [
  row,
  { expr, legend },
]

/** One number for all chosen nodes. */
export function number(title: string, row: MetricRow, expr: string, words: PanelWords = {}): Panel {
  return { ...lines(title, [told(row, expr, '')], words), kind: 'stat' }
}

/** The default panel of a metric: the value of a gauge, the rate of a counter or histogram, the 99th percentile of a summary. */
export function panelOf(row: MetricRow): Panel {
  return lines(nameOf(row), [targetOf(row)])
}

function targetOf(row: MetricRow): readonly [MetricRow, Target] {
  const by = row.labels ?? []
  const legend = ['{{instance}}', ...by.map((label) => `{{${label}}}`)].join(' ')
  switch (row.kind) {
    case 'gauge':
      return told(row, of(row), legend)
    case 'counter':
      return rareRate(row, ...by)
    case 'summary':
      return told(row, orZero(quantileOf(row, 0.99)), legend)
    case 'histogram':
      return told(row, orZero(rateOf(row, ...by).replace(nameOf(row), `${nameOf(row)}_count`)), legend)
  }
}
