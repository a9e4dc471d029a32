import { type Clock, systemClock } from '#platform/clock.ts'
import { type MetricData, type MetricsData, mergeMetrics, withoutMomentary } from './metrics-merge.ts'
import { Summary } from './metrics-summary.ts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, MetricRegistry } from './prom-client.ts'

/** Categories with names of the ecosystem instead of the program, so without a prefix. */
const UNPREFIXED_CATEGORIES: ReadonlySet<string> = new Set(['ethereum', 'process', 'jvm'])

/** One metric, declared as data in the room that feeds it. The documentation is generated from the rows. */
interface Row<Kind extends string, Label extends string> {
  readonly kind: Kind
  readonly category: string
  /** The name without prefix, category and `_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly Label[]
  /** Besu's metric of the same meaning: with the same name and labels, or with these, after its prefix. */
  readonly besu?: 'same' | BesuSpelling<Label>
}

/** Besu's names that break Prometheus' naming rules, which `promtool check metrics` enforces. */
export interface BesuSpelling<Label extends string> {
  readonly name: string
  /** The name in earlier Besu versions, whose dashboards are still in use. Only for gauges with `read`. */
  readonly formerName?: string
  readonly labels?: Readonly<Record<Label, string>>
}

/** With this prefix, metrics that Besu also has use Besu's names. */
export const BESU_PREFIX = 'besu_'

export type CounterRow<Label extends string = never> = Row<'counter', Label>
export type SummaryRow<Label extends string = never> = Row<'summary', Label>

export interface GaugeRow<Label extends string = never> extends Row<'gauge', Label> {
  /** How the values of several threads are combined; default sum. */
  readonly merge?: 'sum' | 'max'
}

/** A gauge with the function that reads it, so declaring it is enough. */
export interface ReadGaugeRow<Source> extends GaugeRow {
  read(source: Source): number | Promise<number>
}

/** Gauges of one category that are read from one object on request. */
export class Gauges<Source> {
  readonly rows: ReadGaugeRow<Source>[] = []
  readonly #category: string

  constructor(category: string) {
    this.#category = category
  }

  declare(row: Omit<ReadGaugeRow<Source>, 'kind' | 'category'>): ReadGaugeRow<Source> {
    const declared: ReadGaugeRow<Source> = { kind: 'gauge', category: this.#category, ...row }
    this.rows.push(declared)
    return declared
  }

  readFrom(source: Source, metrics: Metrics): void {
    for (const row of this.rows) metrics.gaugeOf(row, () => row.read(source))
  }
}

export interface HistogramRow<Label extends string = never> extends Row<'histogram', Label> {
  /** Upper bounds in ascending order, in the unit at the end of the name. */
  readonly buckets: readonly number[]
}

export type MetricRow = CounterRow<string> | GaugeRow<string> | SummaryRow<string> | HistogramRow<string>

/** A value for each declared label; empty without labels. */
type LabelValues<Label extends string> = [Label] extends [never] ? [] : [Readonly<Record<Label, string>>]

export interface CounterMetric<Label extends string> {
  /** Increments by one; `add` by more. */
  inc(...labels: LabelValues<Label>): void
  add(by: number, ...labels: LabelValues<Label>): void
}

export interface GaugeMetric<Label extends string> {
  set(value: number, ...labels: LabelValues<Label>): void
  /** Removes one combination of labels, e.g. of a peer that left. */
  remove(...labels: LabelValues<Label>): void
}

export interface Observer<Label extends string> {
  observe(value: number, ...labels: LabelValues<Label>): void
}

export interface Metrics {
  counter<Label extends string = never>(row: CounterRow<Label>): CounterMetric<Label>
  gauge<Label extends string = never>(row: GaugeRow<Label>): GaugeMetric<Label>
  /** A gauge without labels that is read on request. */
  gaugeOf(row: GaugeRow, read: () => number | Promise<number>): void
  /** The same with labels. Combinations that are no longer returned are removed. */
  gaugesOf<Label extends string>(
    row: GaugeRow<Label>,
    read: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>,
  ): void
  summary<Label extends string = never>(row: SummaryRow<Label>): Observer<Label>
  histogram<Label extends string = never>(row: HistogramRow<Label>): Observer<Label>
  /** This thread's metrics as plain data, which can cross a channel. */
  sample(): Promise<MetricsData>
  /**
   * Adds the metrics of another thread. Returns a function that removes it; its counts stay in the totals, because a
   * falling total would look like a restart and distort every rate.
   */
  collectFrom(source: string, collect: () => Promise<MetricsData>): () => void
  /** The metrics of all sources. */
  merged(): Promise<MetricsData>
  /** The text in Prometheus' format. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>
}

export interface MetricsOptions {
  /** The prefix of the program's own metrics. */
  readonly prefix: string
  /** The categories to show; default all. Metrics of other categories cost only their update. */
  readonly categories?: ReadonlySet<string>
  /** Includes CPU, memory and event loop of the process: once per process, so on the main thread. */
  readonly process?: boolean
  /** Starts the observers of the process at once. Otherwise the first reader starts them. */
  readonly isRead?: boolean
  /** The clock of the summaries' sliding window; default the system's. */
  readonly clock?: Clock
  /** Called if a source does not answer. Its last answer is shown instead. */
  readonly onSourceError: (source: string, error: unknown) => void
}

export function metricName(row: MetricRow, prefix: string): string {
  const shownPrefix = UNPREFIXED_CATEGORIES.has(row.category) ? '' : prefix
  const name = prefix === BESU_PREFIX ? besuName(row) : row.name
  return `${shownPrefix}${row.category}_${name}${row.kind === 'counter' ? '_total' : ''}`
}

function besuName({ besu, name }: MetricRow): string {
  return besu === undefined || besu === 'same' ? name : besu.name
}

/** The same metric under its former Besu name, if it has one. */
function formerRow(row: GaugeRow, prefix: string): GaugeRow[] {
  const former = typeof row.besu === 'object' ? row.besu.formerName : undefined
  return former === undefined || prefix !== BESU_PREFIX ? [] : [{ ...row, besu: { name: former } }]
}

/** Maps each label to its name in the output. */
function labelSpelling({ besu, labels = [] }: MetricRow, prefix: string): Readonly<Record<string, string>> {
  const asInBesu = prefix === BESU_PREFIX && typeof besu === 'object' ? besu.labels : undefined
  return Object.fromEntries(labels.map((label) => [label, asInBesu?.[label] ?? label]))
}

/** `spelling` has the exposed name of each label. */
function spellLabels(spelling: Readonly<Record<string, string>>) {
  const names = Object.entries(spelling)
  return ([labels]: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> => {
    const spelled: Record<string, string> = {}
    // Not Object.fromEntries: every request is counted, most by one label.
    if (labels !== undefined) for (const [label, shown] of names) spelled[shown] = labels[label]!
    return spelled
  }
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new MetricRegistry()
  const { categories } = options
  const hasProcess = options.process === true && categories?.has('process') !== false
  if (hasProcess && options.isRead === true) processMetrics()
  const sources = createSources(options.onSourceError)

  const rows = new Map<string, Pick<MetricData, 'row'>>()
  const configOf = (row: MetricRow) => {
    const { category, help } = row
    const name = metricName(row, options.prefix)
    rows.set(name, { row: { category, name: besuName(row) } })
    const registers = categories?.has(category) === false ? [] : [registry]
    return { name, help, labelNames: Object.values(labelSpelling(row, options.prefix)), registers }
  }
  const labelsOf = (row: MetricRow) => spellLabels(labelSpelling(row, options.prefix))

  const sample = async (): Promise<MetricsData> => [
    ...(hasProcess ? await readRegistry(processMetrics()) : []),
    ...(await readRegistry(registry)).map((metric) => ({ ...metric, ...rows.get(metric.name) })),
  ]
  /** Other threads report all of their metrics. */
  const isShown = ({ row }: MetricData): boolean =>
    row === undefined || categories?.has(row.category) !== false
  const merged = async (): Promise<MetricsData> =>
    mergeMetrics([await sample(), ...(await sources.collect())]).filter(isShown)

  return {
    counter(row) {
      const counter = new Counter(configOf(row))
      const spell = labelsOf(row)
      return {
        inc: (...labels) => counter.inc(spell(labels)),
        add: (by, ...labels) => counter.inc(spell(labels), by),
      }
    },
    gauge(row) {
      const gauge = new Gauge({ ...configOf(row), aggregator: row.merge ?? 'sum' })
      const spell = labelsOf(row)
      return {
        set: (value, ...labels) => gauge.set(spell(labels), value),
        remove: (...labels) => gauge.remove(spell(labels)),
      }
    },
    gaugeOf(row, read) {
      for (const spelled of [row, ...formerRow(row, options.prefix)]) {
        const gauge: Gauge = new Gauge({
          ...configOf(spelled),
          aggregator: row.merge ?? 'sum',
          collect: async () => gauge.set(await read()),
        })
      }
    },
    gaugesOf(row, read) {
      const gauge = new Gauge({ ...configOf(row), aggregator: row.merge ?? 'sum', collect: readAll })
      const spell = labelsOf(row)
      function readAll(): void {
        gauge.reset()
        for (const [labels, value] of read()) gauge.set(spell([labels]), value)
      }
    },
    summary(row) {
      const { registers, ...config } = configOf(row)
      const summary = new Summary(config, options.clock ?? systemClock)
      for (const each of registers) register(each, summary)
      const spell = labelsOf(row)
      return { observe: (value, ...labels) => summary.observe(spell(labels), value) }
    },
    histogram(row) {
      const histogram = new Histogram({ ...configOf(row), buckets: [...row.buckets] })
      const spell = labelsOf(row)
      return { observe: (value, ...labels) => histogram.observe(spell(labels), value) }
    },
    sample,
    collectFrom: sources.add,
    merged,
    exposition: async () => ({
      contentType: registry.contentType,
      body: await formatMetrics(await merged()),
    }),
  }
}

/** Gauges of prom-client that are named like counters; `promtool check metrics` refuses them. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`)

let processRegistry: MetricRegistry | undefined

/**
 * One registry for all nodes of the process: its observers run until the process ends. A node without readers does not
 * create it, because it loads 15 modules.
 */
function processMetrics(): MetricRegistry {
  if (processRegistry === undefined) {
    processRegistry = new MetricRegistry()
    collectDefaultMetrics(processRegistry)
    for (const name of MISNAMED) processRegistry.removeSingleMetric(name)
  }
  return processRegistry
}

function createSources(onError: MetricsOptions['onSourceError']) {
  const sources = new Map<string, { collect: () => Promise<MetricsData>; last: MetricsData }>()
  let retired: MetricsData = []

  const forget = (name: string): void => {
    const source = sources.get(name)
    if (source === undefined) return
    sources.delete(name)
    retired = mergeMetrics([retired, withoutMomentary(source.last)])
  }

  return {
    add(name: string, collect: () => Promise<MetricsData>): () => void {
      forget(name)
      const source = { collect, last: [] }
      sources.set(name, source)
      return () => {
        if (sources.get(name) === source) forget(name)
      }
    },
    async collect(): Promise<MetricsData[]> {
      const asked = [...sources].map(async ([name, source]) => {
        try {
          source.last = await source.collect()
        } catch (error) {
          onError(name, error)
        }
      })
      await Promise.all(asked)
      // Read after all have answered: a source removed meanwhile is only in `retired`.
      return [retired, ...[...sources.values()].map((source) => source.last)]
    },
  }
}

async function readRegistry(registry: MetricRegistry): Promise<MetricsData> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricsData
}

/** prom-client collects any object with a name and `get`, so our metrics need no formatter of their own. */
function register(registry: MetricRegistry, metric: { name: string; get(): Promise<MetricData> }): void {
  registry.registerMetric(metric as unknown as Gauge)
}

async function formatMetrics(sample: MetricsData): Promise<string> {
  const registry = new MetricRegistry()
  for (const metric of sample) register(registry, { name: metric.name, get: async () => metric })
  return await registry.metrics()
}
