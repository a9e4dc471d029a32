/**
 * The parts of prom-client that the program uses. Its index loads a gateway, clusters and a tracing library besides,
 * which is nine tenths of what it costs, in every thread.
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

/** Those of the process: memory, CPU, the event loop. */
export function collectDefaultMetrics(
  config: Prometheus.DefaultMetricsCollectorConfiguration<Prometheus.PrometheusContentType>,
): void {
  require('prom-client/lib/defaultMetrics.js')(config)
}
