import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { Settings } from '#config/settings.ts'
import { systemClock } from '#platform/clock.ts'
import { freeBytes } from '#platform/disk-space.ts'
import { directoryBytes } from '#platform/files/files.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import { memoryLimitBytes } from '#platform/memory-limit.ts'
import { createMetrics, type GaugeRow, type Metrics } from '#platform/metrics/metrics.ts'
import { rpcOptions } from '#rpc/settings/options.ts'
import type { RunningServer } from '#serve/serve-http.ts'
import type { LiveChain } from './live-chain.ts'
import { metricsOptions } from './metrics-options.ts'
import type { ServedNode } from './rpc-service.ts'

const DEADLINE_MS = 15_000
const SECOND_MS = 1_000

export const RELEASE: GaugeRow<'version'> = {
  kind: 'gauge',
  category: 'process',
  name: 'release',
  help: 'Version of the program; the value is 1',
  labels: ['version'],
  besu: 'same',
}

export const BLOCKCHAIN_HEIGHT: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'blockchain_height',
  help: 'Number of the last block of the chain',
  besu: 'same',
}

export const DATABASE_SIZE: GaugeRow = {
  kind: 'gauge',
  category: 'database',
  name: 'size_bytes',
  help: 'Size of the files of the database, in bytes',
}

export const DISK_FREE: GaugeRow = {
  kind: 'gauge',
  category: 'database',
  name: 'free_bytes',
  help: 'Space that is left for the database on its disk, in bytes',
}

export const MEMORY_LIMIT: GaugeRow = {
  kind: 'gauge',
  category: 'process',
  name: 'memory_limit_bytes',
  help: 'Memory that the node may use: what its control group allows, or what the machine has, in bytes',
}

export const CLOCK_TIME: GaugeRow = {
  kind: 'gauge',
  category: 'process',
  name: 'clock_seconds',
  help: 'What the clock of the machine shows when it is asked, in seconds since 1970; Prometheus has its own to compare',
}

export const MIN_GAS_PRICE: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'min_gas_price',
  help: 'The lowest gas price of transactions in blocks made here, in wei',
  besu: 'same',
}

export const MIN_PRIORITY_FEE: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'min_priority_fee',
  help: 'The lowest priority fee of transactions in blocks made here, in wei',
  besu: 'same',
}

/** What main knows of the chain; the writer thread adds more. */
export function addChainMetrics(metrics: Metrics, chain: LiveChain, building: LiveBuilding): void {
  metrics.gaugeOf(BLOCKCHAIN_HEIGHT, () => chain.head.number)
  metrics.gaugeOf(MIN_GAS_PRICE, () => Number(building.settings().minGasPriceWei))
  metrics.gaugeOf(MIN_PRIORITY_FEE, () => Number(building.settings().minPriorityFeeWei))
  metrics.gaugeOf(DATABASE_SIZE, () => directoryBytes(chain.config.path))
  metrics.gaugeOf(DISK_FREE, () => freeBytes(chain.config.path))
}

/** The metrics of the whole process; server threads add theirs when they are asked. */
export function createNodeMetrics(settings: Settings, version: string, log: Log): Metrics {
  const categories = settings.get(metricsOptions.categories)
  const metrics = createMetrics({
    prefix: settings.get(metricsOptions.prefix),
    process: true,
    ...(categories && { categories: new Set(categories) }),
    onSourceError: (source, error) =>
      log.warn(`The metrics of the thread ${source} could not be collected.`, { err: error }),
  })
  metrics.gauge(RELEASE).set(1, { version })
  metrics.gaugeOf(MEMORY_LIMIT, memoryLimitBytes)
  metrics.gaugeOf(CLOCK_TIME, () => systemClock.wallMs() / SECOND_MS)
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
        // Most nodes have none, and it brings along a web server.
        const { startMetricsEndpoint } = await import('#serve/metrics-endpoint.ts')
        const host = settings.get(metricsOptions.host)
        endpoint = await startMetricsEndpoint({
          host,
          port: settings.get(metricsOptions.port),
          hostAllowlist: settings.get(rpcOptions.hostAllowlist),
          exposition: () => metrics.exposition(),
          clock: systemClock,
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
