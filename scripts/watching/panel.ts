/** Panels of dashboards as data: an expression is written over the row of a metric, so that no name can be misspelled. */
import { type MetricRow, metricName } from '#platform/metrics/metrics.ts'

/** Of `--metrics-prefix`, as it is unless somebody changed it. */
export const PREFIX = 'cairn_'

export interface Target {
  readonly expr: string
  /** What a line is called; Grafana fills in the labels. */
  readonly legend: string
}

export interface Panel {
  readonly title: string
  /** What it shows, for who points at it. */
  readonly help: string
  /** Of Grafana: s, bytes, percentunit, reqps, short, … */
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

/** Of the nodes that are looked at. */
export const CHOSEN = '{instance=~"$instance"}'

export const nameOf = (row: MetricRow): string => metricName(row, PREFIX)

/** A metric of the nodes that are looked at; `part` of a summary: `_sum`, `_count`. */
export const of = (row: MetricRow, part = ''): string => `${nameOf(row)}${part}${CHOSEN}`

/** A counter, each second. */
export function rateOf(row: MetricRow, ...by: string[]): string {
  return `sum by (${['instance', ...by].join(', ')}) (rate(${of(row)}[$__rate_interval]))`
}

/** A quantile of a summary, over its window; nothing where nothing was observed. */
export function quantileOf(row: MetricRow, quantile: number): string {
  return `${nameOf(row)}{instance=~"$instance", quantile="${quantile}"}`
}

/** What counts mishaps has no line before the first; 0 says more than an empty panel. */
export const orZero = (expr: string): string => `${expr} or on() vector(0)`

interface PanelWords {
  readonly help?: string
  readonly unit?: string
}

/** A line for each node, of one metric or more. The help of the first row is the help of the panel. */
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

/** The value of a metric, by node; `legend` says which of several it is. */
export const value = (row: MetricRow, legend = ''): readonly [MetricRow, Target] => [
  row,
  { expr: of(row), legend: `{{instance}}${legend && ` ${legend}`}` },
]

/** The value of a metric with labels. */
export const valueBy = (row: MetricRow, label: string): readonly [MetricRow, Target] => [
  row,
  { expr: of(row), legend: `{{instance}} {{${label}}}` },
]

/** How much of it comes in a second, by node and labels. */
export const rate = (row: MetricRow, ...by: string[]): readonly [MetricRow, Target] => [
  row,
  { expr: rateOf(row, ...by), legend: ['{{instance}}', ...by.map((label) => `{{${label}}}`)].join(' ') },
]

/** The same of what may never happen. */
export const rareRate = (row: MetricRow, ...by: string[]): readonly [MetricRow, Target] => {
  const [, { expr, legend }] = rate(row, ...by)
  return [row, { expr: orZero(expr), legend }]
}

/** An expression of one's own over a metric. */
export const told = (row: MetricRow, expr: string, legend = '{{instance}}'): readonly [MetricRow, Target] => [
  row,
  { expr, legend },
]

/** One number for all nodes that are looked at. */
export function number(title: string, row: MetricRow, expr: string, words: PanelWords = {}): Panel {
  return { ...lines(title, [told(row, expr, '')], words), kind: 'stat' }
}
