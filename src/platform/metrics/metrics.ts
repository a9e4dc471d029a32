import { type Clock, systemClock } from '#platform/clock.ts'
import { type MetricData, type MetricsSnapshot, mergeSnapshots, withoutMomentary } from './metrics-merge.ts'
import { Summary } from './metrics-summary.ts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, MetricRegistry } from './prom-client.ts'

/** Categories whose names are the ecosystem's and not the program's: no prefix. */
const UNPREFIXED_CATEGORIES: ReadonlySet<string> = new Set(['ethereum', 'process', 'jvm'])

/** One metric, declared as data in the room that feeds it; the documentation is generated from the rows. */
interface Row<Kind extends string, Label extends string> {
  readonly kind: Kind
  readonly category: string
  /** Without prefix, category and `_total`. */
  readonly name: string
  readonly help: string
  readonly labels?: readonly Label[]
  /** Besu has a metric of the same meaning: under the same name and labels, or under these, with its prefix. */
  readonly besu?: 'same' | BesuSpelling<Label>
}

/** Names of Besu that break the naming rules of Prometheus, which `promtool check metrics` enforces. */
export interface BesuSpelling<Label extends string> {
  readonly name: string
  /** As it was named in earlier versions, whose dashboards are still in use; of a gauge that is read. */
  readonly formerName?: string
  readonly labels?: Readonly<Record<Label, string>>
}

/** With this prefix, metrics that Besu has too are spelled as Besu spells them. */
export const BESU_PREFIX = 'besu_'

export type CounterRow<Label extends string = never> = Row<'counter', Label>
export type SummaryRow<Label extends string = never> = Row<'summary', Label>

export interface GaugeRow<Label extends string = never> extends Row<'gauge', Label> {
  /** How the values of several threads become one; default sum. */
  readonly merge?: 'sum' | 'max'
}

export interface HistogramRow<Label extends string = never> extends Row<'histogram', Label> {
  /** Upper bounds, ascending, in the unit that the name ends with. */
  readonly buckets: readonly number[]
}

export type MetricRow = CounterRow<string> | GaugeRow<string> | SummaryRow<string> | HistogramRow<string>

/** A value for each declared label; without labels, nothing. */
type LabelValues<Label extends string> = [Label] extends [never] ? [] : [Readonly<Record<Label, string>>]

export interface CounterMetric<Label extends string> {
  /** By one; `by` for more. */
  inc(...labels: LabelValues<Label>): void
  add(by: number, ...labels: LabelValues<Label>): void
}

export interface GaugeMetric<Label extends string> {
  set(value: number, ...labels: LabelValues<Label>): void
  /** Forgets one combination of labels, e.g. a peer that left. */
  remove(...labels: LabelValues<Label>): void
}

export interface Observer<Label extends string> {
  observe(value: number, ...labels: LabelValues<Label>): void
}

export interface Metrics {
  counter<Label extends string = never>(row: CounterRow<Label>): CounterMetric<Label>
  gauge<Label extends string = never>(row: GaugeRow<Label>): GaugeMetric<Label>
  /** A gauge without labels that is read when somebody asks. */
  gaugeOf(row: GaugeRow, read: () => number | Promise<number>): void
  /** The same with labels; combinations that are not read any more are forgotten. */
  gaugesOf<Label extends string>(
    row: GaugeRow<Label>,
    read: () => Iterable<readonly [labels: Readonly<Record<Label, string>>, value: number]>,
  ): void
  summary<Label extends string = never>(row: SummaryRow<Label>): Observer<Label>
  histogram<Label extends string = never>(row: HistogramRow<Label>): Observer<Label>
  /** Plain data, fit for a channel: a thread's answer to whoever collects. */
  snapshot(): Promise<MetricsSnapshot>
  /**
   * Adds the metrics of another thread. Returns the way to forget it; its counts stay in the totals,
   * since a total that falls would look like a restart and distort every rate.
   */
  collectFrom(source: string, collect: () => Promise<MetricsSnapshot>): () => void
  /** All sources merged. */
  merged(): Promise<MetricsSnapshot>
  /** The text that Prometheus reads. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>
}

export interface MetricsOptions {
  /** Before every name of our own. */
  readonly prefix: string
  /** Only these categories are shown; default all. Metrics of others cost their update and nothing more. */
  readonly categories?: ReadonlySet<string>
  /** CPU, memory, event loop of the process: once per process, so on the main thread. */
  readonly process?: boolean
  /** Whose time the window of summaries slides by; default the system's. */
  readonly clock?: Clock
  /** Told when a source does not answer; its last answer is shown instead. */
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

/** The same metric under the name that Besu gave up, where it had another. */
function formerRow(row: GaugeRow, prefix: string): GaugeRow[] {
  const former = typeof row.besu === 'object' ? row.besu.formerName : undefined
  return former === undefined || prefix !== BESU_PREFIX ? [] : [{ ...row, besu: { name: former } }]
}

/** Label by label, as they are shown with the prefix. */
function labelSpelling({ besu, labels = [] }: MetricRow, prefix: string): Readonly<Record<string, string>> {
  const asInBesu = prefix === BESU_PREFIX && typeof besu === 'object' ? besu.labels : undefined
  return Object.fromEntries(labels.map((label) => [label, asInBesu?.[label] ?? label]))
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new MetricRegistry()
  const { categories } = options
  if (options.process && categories?.has('process') !== false) collectProcessMetrics(registry)
  const sources = createSources(options.onSourceError)

  const rows = new Map<string, Pick<MetricData, 'row'>>()
  const configOf = (row: MetricRow) => {
    const { category, help } = row
    const name = metricName(row, options.prefix)
    rows.set(name, { row: { category, name: besuName(row) } })
    const registers = categories?.has(category) === false ? [] : [registry]
    return { name, help, labelNames: Object.values(labelSpelling(row, options.prefix)), registers }
  }
  const labelsOf = (row: MetricRow) => {
    const spelling = Object.entries(labelSpelling(row, options.prefix))
    return ([labels]: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> =>
      labels === undefined
        ? {}
        : Object.fromEntries(spelling.map(([label, shown]) => [shown, labels[label]!]))
  }

  const snapshot = async (): Promise<MetricsSnapshot> =>
    (await readRegistry(registry)).map((metric) => ({ ...metric, ...rows.get(metric.name) }))
  /** Other threads tell all they have. */
  const isShown = ({ row }: MetricData): boolean =>
    row === undefined || categories?.has(row.category) !== false
  const merged = async (): Promise<MetricsSnapshot> =>
    mergeSnapshots([await snapshot(), ...(await sources.collect())]).filter(isShown)

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
    snapshot,
    collectFrom: sources.add,
    merged,
    exposition: async () => ({
      contentType: registry.contentType,
      body: await formatSnapshot(await merged()),
    }),
  }
}

/** Gauges of prom-client whose names say that they are counters; `promtool check metrics` refuses them. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`)

function collectProcessMetrics(registry: MetricRegistry): void {
  collectDefaultMetrics(registry)
  for (const name of MISNAMED) registry.removeSingleMetric(name)
}

function createSources(onError: MetricsOptions['onSourceError']) {
  const sources = new Map<string, { collect: () => Promise<MetricsSnapshot>; last: MetricsSnapshot }>()
  let retired: MetricsSnapshot = []

  const forget = (name: string): void => {
    const source = sources.get(name)
    if (source === undefined) return
    sources.delete(name)
    retired = mergeSnapshots([retired, withoutMomentary(source.last)])
  }

  return {
    add(name: string, collect: () => Promise<MetricsSnapshot>): () => void {
      forget(name)
      const source = { collect, last: [] }
      sources.set(name, source)
      return () => {
        if (sources.get(name) === source) forget(name)
      }
    },
    async collect(): Promise<MetricsSnapshot[]> {
      const asked = [...sources].map(async ([name, source]) => {
        try {
          source.last = await source.collect()
        } catch (error) {
          onError(name, error)
        }
      })
      await Promise.all(asked)
      // Read after all answered: a source forgotten meanwhile is in `retired` and nowhere else.
      return [retired, ...[...sources.values()].map((source) => source.last)]
    },
  }
}

async function readRegistry(registry: MetricRegistry): Promise<MetricsSnapshot> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot
}

/** prom-client collects anything that has a name and `get`, so what is ours needs no writer of ours. */
function register(registry: MetricRegistry, metric: { name: string; get(): Promise<MetricData> }): void {
  registry.registerMetric(metric as unknown as Gauge)
}

async function formatSnapshot(snapshot: MetricsSnapshot): Promise<string> {
  const registry = new MetricRegistry()
  for (const metric of snapshot) register(registry, { name: metric.name, get: async () => metric })
  return await registry.metrics()
}
