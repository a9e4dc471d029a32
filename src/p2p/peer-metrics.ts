import { type CheckRows, checkRows } from '#platform/metrics/check-counter.ts'
import { type CounterRow, Gauges, type Metrics } from '#platform/metrics/metrics.ts'
import { DISCONNECT_REASONS } from './disconnect.ts'
import type { PeerNetwork } from './peers/peer-network.ts'

export const PEER_GAUGES = new Gauges<{ network: PeerNetwork; maxPeers: number }>('ethereum')

export const PEER_COUNT = PEER_GAUGES.declare({
  name: 'peer_count',
  help: 'Connected peers',
  besu: 'same',
  read: ({ network }) => network.peerCount,
})

export const PEER_LIMIT = PEER_GAUGES.declare({
  name: 'peer_limit',
  help: 'Maximum peers, not counting static nodes or, on a validator, other validators',
  besu: 'same',
  read: ({ maxPeers }) => maxPeers,
})

export const PEERS_CONNECTED: CounterRow = {
  kind: 'counter',
  category: 'peers',
  name: 'connected',
  help: 'Established peer connections',
  besu: 'same',
}

export const PEERS_DISCONNECTED: CounterRow<'initiator' | 'reason'> = {
  kind: 'counter',
  category: 'peers',
  name: 'disconnected',
  help: 'Closed peer connections, by initiator and reason',
  labels: ['initiator', 'reason'],
  besu: { name: 'disconnected', labels: { initiator: 'initiator', reason: 'disconnectReason' } },
}

export const NODE_CHECKS: CheckRows = checkRows('a', 'node')

export function addPeerMetrics(metrics: Metrics, network: PeerNetwork, maxPeers: number): void {
  PEER_GAUGES.readFrom({ network, maxPeers }, metrics)
  const connected = metrics.counter(PEERS_CONNECTED)
  network.joined.subscribe(() => connected.inc())
  const disconnected = metrics.counter(PEERS_DISCONNECTED)
  network.left.subscribe(({ end: { byPeer, reason } }) => {
    const initiator = byPeer ? 'remote' : 'local'
    disconnected.inc({ initiator, reason: DISCONNECT_REASONS[reason].name })
  })
}
