import type { CounterRow, GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { DropReason } from './submitted-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

const TRANSACTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'transactions',
  help: 'Transactions in the pool',
  besu: 'same',
}

const PENDING: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'pending',
  help: 'Transactions in the pool before which no nonce is missing',
}

const SENDERS: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'unique_senders',
  help: 'Senders that have transactions in the pool',
  besu: 'same',
}

const SPACE: GaugeRow = {
  kind: 'gauge',
  category: 'transaction_pool',
  name: 'space_used',
  help: 'Bytes of transactions in the pool',
  besu: 'same',
}

const ADDED: CounterRow<'source'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_added',
  help: 'Transactions that came to the pool',
  labels: ['source'],
  besu: 'same',
}

const DROPPED: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_dropped',
  help: 'Transactions that left the pool and are in no block',
  labels: ['reason'],
}

/** `pool`: once it was started. */
export function addPoolMetrics(metrics: Metrics, pool: TransactionPool): void {
  metrics.gaugeOf(TRANSACTIONS, () => pool.status().pending + pool.status().queued)
  metrics.gaugeOf(PENDING, () => pool.status().pending)
  metrics.gaugeOf(SENDERS, () => pool.status().senders)
  metrics.gaugeOf(SPACE, () => pool.status().bytes)
  const added = metrics.counter(ADDED)
  pool.added.subscribe((batch) => {
    for (const { origin } of batch) added.inc({ source: origin })
  })
  const dropped = metrics.counter(DROPPED)
  pool.dropped.subscribe((batch) => {
    for (const { reason } of batch) dropped.inc({ reason: reason satisfies DropReason })
  })
}
