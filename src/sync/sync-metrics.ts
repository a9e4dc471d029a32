import type { GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { EthNetwork } from './peers/eth-network.ts'
import type { SyncProgress } from './sync-progress.ts'

export const BEST_KNOWN: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'best_known_block_number',
  help: 'Highest block of this node and its peers',
  besu: 'same',
}

export const IN_SYNC: GaugeRow = {
  kind: 'gauge',
  category: 'synchronizer',
  name: 'in_sync',
  help: '1 if the node is in sync with its peers, otherwise 0',
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
