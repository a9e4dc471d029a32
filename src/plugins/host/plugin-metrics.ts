/** Metrics about plugins, and the conversion of their own metrics to the node's. */
import type { CounterRow, GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { MetricData, MetricSample, MetricsData } from '#platform/metrics/metrics-merge.ts'
import { type Declaration, type DeclaredMetric, LISTENER_FAILURES } from '#plugins/declaration.ts'
import type { MetricValue } from '#plugins/plugin-protocol.ts'

const category = 'plugins'

export const PLUGIN_UP: GaugeRow<'plugin'> = {
  kind: 'gauge',
  category,
  name: 'up',
  help: '1 while the plugin runs, 0 while it waits for a restart',
  labels: ['plugin'],
}

export const PLUGIN_RESTARTS: CounterRow<'plugin' | 'cause'> = {
  kind: 'counter',
  category,
  name: 'ended',
  help: 'Plugin restarts by cause: hung, memory, flood or died',
  labels: ['plugin', 'cause'],
}

export const PLUGIN_UNANSWERED: CounterRow<'plugin' | 'hook' | 'cause'> = {
  kind: 'counter',
  category,
  name: 'unanswered',
  help: 'Plugin calls answered by onFailure: late, failed or down',
  labels: ['plugin', 'hook', 'cause'],
}

export interface PluginCounts {
  up(plugin: string, isUp: boolean): void
  ended(plugin: string, cause: EndCause): void
  unanswered(plugin: string, hook: string, cause: 'late' | 'failed' | 'down'): void
}

export type EndCause = 'hung' | 'memory' | 'flood' | 'died'

export function createPluginCounts(metrics: Metrics): PluginCounts {
  const up = metrics.gauge(PLUGIN_UP)
  const ended = metrics.counter(PLUGIN_RESTARTS)
  const unanswered = metrics.counter(PLUGIN_UNANSWERED)
  return {
    up: (plugin, isUp) => up.set(isUp ? 1 : 0, { plugin }),
    ended: (plugin, cause) => ended.inc({ plugin, cause }),
    unanswered: (plugin, hook, cause) => unanswered.inc({ plugin, hook, cause }),
  }
}

const LISTENER_FAILURES_ROW: DeclaredMetric = {
  name: LISTENER_FAILURES,
  kind: 'counter',
  help: 'Failures of plugin listeners',
  labels: ['hook'],
}

const MAX_VALUES = 10_000
const MAX_LABEL_CHARACTERS = 200

/** The name without the prefix of all metrics. */
export function metricNameOf(plugin: string, { name, kind }: DeclaredMetric): string {
  return `plugin_${plugin.replaceAll('-', '_')}_${name}${kind === 'counter' ? '_total' : ''}`
}

/** Includes only declared metrics with declared labels, so a plugin cannot write the node's metrics. */
export function pluginMetrics(
  prefix: string,
  { name: plugin, metrics }: Declaration,
  values: readonly MetricValue[],
): MetricsData {
  const samples = new Map<string, MetricSample[]>()
  for (const { name, labels, value } of values.slice(0, MAX_VALUES)) {
    const list = samples.get(name)
    if (list === undefined) samples.set(name, [{ labels, value }])
    else list.push({ labels, value })
  }
  return [...metrics, LISTENER_FAILURES_ROW].map((metric): MetricData => {
    const name = metricNameOf(plugin, metric)
    return {
      name: `${prefix}${name}`,
      help: metric.help,
      type: metric.kind,
      aggregator: 'sum',
      row: { category, name },
      values: (samples.get(metric.name) ?? []).filter((sample) => isDeclared(metric, sample)),
    }
  })
}

function isDeclared({ labels }: DeclaredMetric, sample: MetricSample): boolean {
  const given = Object.entries(sample.labels)
  return (
    typeof sample.value === 'number' &&
    given.length === labels.length &&
    given.every(
      ([label, value]) =>
        labels.includes(label) && typeof value === 'string' && value.length <= MAX_LABEL_CHARACTERS,
    )
  )
}
