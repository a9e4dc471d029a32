import type { CheckRows } from '#platform/metrics/check-counter.ts'
import type { CounterRow, GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import { DISCONNECT_REASONS } from './disconnect.ts'
import type { PeerNetwork } from './peers/peer-network.ts'

export const PEER_COUNT: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'peer_count',
  help: 'Peers that are connected',
  besu: 'same',
}

export const PEER_LIMIT: GaugeRow = {
  kind: 'gauge',
  category: 'ethereum',
  name: 'peer_limit',
  help: 'Most peers that may be connected, beside static nodes',
  besu: 'same',
}

export const PEERS_CONNECTED: CounterRow = {
  kind: 'counter',
  category: 'peers',
  name: 'connected',
  help: 'Connections that came about',
  besu: 'same',
}

export const PEERS_DISCONNECTED: CounterRow<'initiator' | 'reason'> = {
  kind: 'counter',
  category: 'peers',
  name: 'disconnected',
  help: 'Connections that ended, by who ended them and why',
  labels: ['initiator', 'reason'],
  besu: { name: 'disconnected', labels: { initiator: 'initiator', reason: 'disconnectReason' } },
}

export const NODE_CHECKS: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'node_checks',
  help: 'Number of times that a node was looked up in the allowlist',
  besu: { name: 'node_local_check_count' },
}

export const NODE_CHECKS_PERMITTED: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'node_checks_permitted',
  help: 'Number of times that a node was found there',
  besu: { name: 'node_local_check_count_permitted' },
}

export const NODE_CHECKS_UNPERMITTED: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'node_checks_unpermitted',
  help: 'Number of times that a node was not found there',
  besu: { name: 'node_local_check_count_unpermitted' },
}

export const NODE_CHECK_ROWS: CheckRows = {
  all: NODE_CHECKS,
  permitted: NODE_CHECKS_PERMITTED,
  unpermitted: NODE_CHECKS_UNPERMITTED,
}

export function addPeerMetrics(metrics: Metrics, network: PeerNetwork, maxPeers: number): void {
  metrics.gaugeOf(PEER_COUNT, () => network.peerCount)
  metrics.gaugeOf(PEER_LIMIT, () => maxPeers)
  const connected = metrics.counter(PEERS_CONNECTED)
  network.joined.subscribe(() => connected.inc())
  const disconnected = metrics.counter(PEERS_DISCONNECTED)
  network.left.subscribe(({ end: { byPeer, reason } }) => {
    const initiator = byPeer ? 'remote' : 'local'
    disconnected.inc({ initiator, reason: DISCONNECT_REASONS[reason].name })
  })
}
