import type { CounterRow, GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { DropReason } from './submitted-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

export const POOL_TRANSACTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'transactions',
  help: 'Transactions in the pool',
  besu: 'same',
}

export const POOL_PENDING: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'pending',
  help: 'Transactions in the pool before which no nonce is missing',
}

export const POOL_SENDERS: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'unique_senders',
  help: 'Senders that have transactions in the pool',
}

export const POOL_SPACE: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'space_used',
  help: 'Bytes of transactions in the pool',
}

export const POOL_LIMIT: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'limit',
  help: 'Most transactions that the pool holds',
}

export const POOL_ADDED: CounterRow<'source'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_added',
  help: 'Transactions that came to the pool',
  labels: ['source'],
  besu: 'same',
}

export const POOL_DROPPED: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_dropped',
  help: 'Transactions that left the pool and are in no block',
  labels: ['reason'],
}

/** `pool`: once it was started. */
export function addPoolMetrics(metrics: Metrics, pool: TransactionPool): void {
  metrics.gaugeOf(POOL_TRANSACTIONS, () => pool.status().pending + pool.status().queued)
  metrics.gaugeOf(POOL_PENDING, () => pool.status().pending)
  metrics.gaugeOf(POOL_SENDERS, () => pool.status().senders)
  metrics.gaugeOf(POOL_SPACE, () => pool.status().bytes)
  metrics.gaugeOf(POOL_LIMIT, () => pool.status().maxSize)
  const added = metrics.counter(POOL_ADDED)
  pool.added.subscribe((batch) => {
    for (const { origin } of batch) added.inc({ source: origin })
  })
  const dropped = metrics.counter(POOL_DROPPED)
  pool.dropped.subscribe((batch) => {
    for (const { reason } of batch) dropped.inc({ reason: reason satisfies DropReason })
  })
}
