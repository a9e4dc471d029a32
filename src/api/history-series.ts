/** The metrics whose last hour a node keeps for `debug_metricsHistory`. */
import type { SeriesRow } from '#platform/metrics/metrics-history.ts'

export const HISTORY_SERIES: readonly SeriesRow[] = [
  { title: 'Head', unit: 'count', category: 'ethereum', name: 'blockchain_height' },
  { title: 'Peers', unit: 'count', category: 'ethereum', name: 'peer_count' },
  { title: 'Connected validators', unit: 'count', category: 'consensus', name: 'connected_validators' },
  { title: 'Round', unit: 'count', category: 'consensus', name: 'round' },
  { title: 'Round changes', unit: 'count', category: 'consensus', name: 'round_changes' },
  { title: 'Without a block', unit: 'seconds', category: 'consensus', name: 'stalled_seconds' },
  {
    title: 'Commit time, median',
    unit: 'seconds',
    category: 'consensus',
    name: 'commit_time',
    quantile: 0.5,
  },
  { title: 'Clock of proposers ahead', unit: 'seconds', category: 'consensus', name: 'clock_ahead_seconds' },
  { title: 'Blocks built', unit: 'count', category: 'blockchain', name: 'blocks_built' },
  {
    title: 'Transactions',
    unit: 'per second',
    category: 'blockchain',
    name: 'chain_head_transaction_count_counter',
  },
  { title: 'Gas', unit: 'per second', category: 'blockchain', name: 'chain_head_gas_used_counter' },
  { title: 'Pool', unit: 'count', category: 'transaction_pool', name: 'transactions' },
  { title: 'Pool senders', unit: 'count', category: 'transaction_pool', name: 'unique_senders' },
  { title: 'Pool memory', unit: 'bytes', category: 'transaction_pool', name: 'space_used' },
  { title: 'Database', unit: 'bytes', category: 'database', name: 'size_bytes' },
  { title: 'Free disk', unit: 'bytes', category: 'database', name: 'free_bytes' },
  { title: 'Heap of all threads', unit: 'bytes', category: 'process', name: 'thread_heap_bytes' },
  { title: 'Engine requests', unit: 'per second', category: 'rpc', name: 'engine_requests' },
  { title: 'HTTP connections', unit: 'count', category: 'rpc', name: 'active_http_connection_count' },
  { title: 'WebSocket connections', unit: 'count', category: 'rpc', name: 'active_ws_connection_count' },
]
