import type { Settings } from '#config/settings.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log.ts'
import { createMetrics, type GaugeRow, type Metrics } from '#platform/metrics.ts'
import { rpcOptions } from '#rpc/options.ts'
import type { RunningServer } from '#rpc/server/http.ts'
import { startMetricsEndpoint } from '#rpc/server/metrics-endpoint.ts'
import { metricsOptions } from './metrics-options.ts'
import type { ServedNode } from './rpc-service.ts'

const DEADLINE_MS = 5_000

export const RELEASE: GaugeRow<'version'> = {
  kind: 'gauge',
  category: 'process',
  name: 'release',
  help: 'Release information',
  labels: ['version'],
}

export const BLOCKCHAIN_HEIGHT: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'blockchain_height',
  help: 'Number of the last block of the chain',
}

/** The metrics of the whole process; server threads add theirs when they are asked. */
export function createNodeMetrics(settings: Settings, version: string, log: Log): Metrics {
  const categories = settings.get(metricsOptions.categories)
  const metrics = createMetrics({
    prefix: settings.get(metricsOptions.prefix),
    process: true,
    ...(categories && { categories: new Set(categories.map((each) => each.toLowerCase())) }),
    onSourceError: (source, error) =>
      log.warn(`The thread ${source} did not give its metrics.`, { err: error }),
  })
  metrics.gauge(RELEASE).set(1, { version })
  return metrics
}

export function createMetricsService(
  settings: Settings,
  node: ServedNode,
  metrics: Metrics,
  log: Log,
): Service[] {
  if (!settings.get(metricsOptions.enabled) || settings.get(metricsOptions.protocol) !== 'PROMETHEUS')
    return []
  let endpoint: RunningServer | undefined
  return [
    {
      name: 'metrics',
      startDeadlineMs: DEADLINE_MS,
      stopDeadlineMs: DEADLINE_MS,
      async start() {
        const host = settings.get(metricsOptions.host)
        endpoint = await startMetricsEndpoint({
          host,
          port: settings.get(metricsOptions.port),
          hostAllowlist: settings.get(rpcOptions.hostAllowlist),
          exposition: () => metrics.exposition(),
          log: log.child('metrics'),
        })
        node.services.metrics = { host, port: endpoint.port }
        log.info(`Metrics service started and listening on ${host}:${endpoint.port}`)
      },
      async stop(signal) {
        await endpoint?.stop(signal)
      },
    },
  ]
}
