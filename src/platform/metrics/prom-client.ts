/**
 * The parts of prom-client that the program uses. Its index also loads a push gateway, cluster support and a tracing
 * library, nine tenths of its cost in every thread.
 */
import { createRequire } from 'node:module'
import type * as Prometheus from 'prom-client'

const require = createRequire(import.meta.url)

export type Gauge = Prometheus.Gauge
export type MetricRegistry = Prometheus.Registry

export const Counter: typeof Prometheus.Counter = require('prom-client/lib/counter.js')
export const Gauge: typeof Prometheus.Gauge = require('prom-client/lib/gauge.js')
export const Histogram: typeof Prometheus.Histogram = require('prom-client/lib/histogram.js')
export const MetricRegistry: typeof Prometheus.Registry = require('prom-client/lib/registry.js')

/** prom-client's process metrics. CPU time is measured here, because prom-client's version loads the tracing library. */
const DEFAULT_METRICS = [
  'processStartTime',
  'osMemoryHeap',
  'processOpenFileDescriptors',
  'processMaxFileDescriptors',
  'eventLoopLag',
  'processResources',
  'processHandles',
  'processRequests',
  'heapSizeAndUsed',
  'heapSpacesSizeAndUsed',
  'version',
  'gc',
]
const EVENT_LOOP_PRECISION_MS = 10
const SECOND_US = 1e6

/** Registers the process metrics: memory, CPU, the event loop. */
export function collectDefaultMetrics(registry: Prometheus.Registry): void {
  for (const [kind, help, usedUs] of CPU_TIMES) {
    const name = `process_cpu_${kind}seconds_total`
    const counter: Prometheus.Counter = new Counter({
      name,
      help: `Total ${help} CPU time spent in seconds.`,
      registers: [registry],
      collect() {
        counter.reset()
        counter.inc(usedUs(process.cpuUsage()) / SECOND_US)
      },
    })
  }
  for (const name of DEFAULT_METRICS) {
    require(`prom-client/lib/metrics/${name}.js`)(registry, {
      eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS,
    })
  }
}

const CPU_TIMES: readonly (readonly [
  kind: string,
  help: string,
  usedUs: (used: NodeJS.CpuUsage) => number,
])[] = [
  ['user_', 'user', ({ user }) => user],
  ['system_', 'system', ({ system }) => system],
  ['', 'user and system', ({ user, system }) => user + system],
]
