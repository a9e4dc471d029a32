import type { GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { SyncProgress } from './catch-up/catch-up.ts'
import type { EthNetwork } from './peers/eth-network.ts'

export const BEST_KNOWN: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'best_known_block_number',
  help: 'The highest block that this node or one of its peers is known to have',
  besu: 'same',
}

export const IN_SYNC: GaugeRow = {
  kind: 'gauge',
  category: 'synchronizer',
  name: 'in_sync',
  help: 'Whether this node has every block that its peers tell of (1) or not (0)',
  besu: 'same',
}

export function addSyncMetrics(
  metrics: Metrics,
  { progress, network }: { progress: () => SyncProgress | undefined; network: EthNetwork },
): void {
  metrics.gaugeOf(BEST_KNOWN, () =>
    network
      .peers()
      .filter(({ isDoubted }) => !isDoubted)
      .reduce((best, { height }) => Math.max(best, height), network.range().latest),
  )
  metrics.gaugeOf(IN_SYNC, () => (progress() === undefined ? 1 : 0))
}
