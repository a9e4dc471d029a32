/** The metrics of the process, and the endpoint that Prometheus reads. */
import { totalmem } from 'node:os'
import type { Settings } from '#config/settings.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createMetrics, type GaugeRow, Gauges, type Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom } from '#platform/room.ts'
import { SERVE_PROBLEMS } from './log-problems.ts'
import { metricsOptions } from './metrics-options.ts'
import type { ServiceAddress } from './services-contract.ts'

const SECOND_MS = 1_000

export const RELEASE: GaugeRow<'version'> = {
  kind: 'gauge',
  category: 'process',
  name: 'release',
  help: 'Version of the program; always 1',
  labels: ['version'],
  besu: 'same',
}

export const PROCESS_GAUGES = new Gauges<Clock>('process')

export const MEMORY_LIMIT = PROCESS_GAUGES.declare({
  name: 'memory_limit_bytes',
  help: 'Memory limit of the node: control group or machine, in bytes',
  read: memoryLimitBytes,
})

export const CLOCK_TIME = PROCESS_GAUGES.declare({
  name: 'clock_seconds',
  help: 'System clock, in seconds since 1970',
  read: (clock) => clock.wallMs() / SECOND_MS,
})

/** Other threads add their metrics when Prometheus asks. */
export function createProcessMetrics(settings: Settings, version: string, log: Log): Metrics {
  const categories = settings.get(metricsOptions.categories)
  const metrics = createMetrics({
    prefix: settings.get(metricsOptions.prefix),
    process: true,
    isRead: settings.get(metricsOptions.enabled),
    ...(categories && { categories: new Set(categories) }),
    onSourceError: (source, error) => log.warn(SERVE_PROBLEMS.threadMetricsMissing, { source, err: error }),
  })
  metrics.gauge(RELEASE).set(1, { version })
  PROCESS_GAUGES.readFrom(systemClock, metrics)
  return metrics
}

interface MetricsNeeds {
  readonly settings: Settings
  readonly metrics: Metrics
  readonly hostAllowlist: readonly string[]
  readonly clock: Clock
  readonly log: Log
}

/** Offers the address of the endpoint; undefined if it is disabled. */
export const METRICS_ENDPOINT = defineRoom({
  name: 'metrics',
  startDeadlineMs: 15_000,
  stopDeadlineMs: 15_000,
  start: async (
    { settings, metrics, hostAllowlist, clock, log }: MetricsNeeds,
    { onStop },
  ): Promise<ServiceAddress | undefined> => {
    const { enabled, protocol, host: hostOption, port } = metricsOptions
    if (!settings.get(enabled) || settings.get(protocol) !== 'PROMETHEUS') return undefined
    // Imported on demand: most nodes have no endpoint, and it loads a web server.
    const { startMetricsEndpoint } = await import('./metrics-endpoint.ts')
    const host = settings.get(hostOption)
    const endpoint = await startMetricsEndpoint({
      host,
      port: settings.get(port),
      hostAllowlist,
      exposition: () => metrics.exposition(),
      clock,
      log: log.child('metrics'),
    })
    onStop((signal) => endpoint.stop(signal))
    log.info(`Metrics service started and listening on ${host}:${endpoint.port}`)
    return { host, port: endpoint.port }
  },
})

/** The memory that this process may use: its control group's limit, or all memory of the machine. */
function memoryLimitBytes(): number {
  const totalBytes = totalmem()
  const constrainedBytes = process.constrainedMemory()
  // Without a limit, the system reports zero or a number larger than any machine's memory.
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalBytes) : totalBytes
}
