import { type CounterRow, Gauges, type Metrics } from '#platform/metrics/metrics.ts'
import type { DropReason } from './submitted-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

export const POOL_GAUGES = new Gauges<TransactionPool>('transaction_pool')

export const POOL_TRANSACTIONS = POOL_GAUGES.declare({
  name: 'transactions',
  help: 'Transactions in the pool',
  besu: 'same',
  read: (pool) => pool.status().pending + pool.status().queued,
})

export const POOL_PENDING = POOL_GAUGES.declare({
  name: 'pending',
  help: 'Transactions in the pool without a nonce gap',
  read: (pool) => pool.status().pending,
})

export const POOL_SENDERS = POOL_GAUGES.declare({
  name: 'unique_senders',
  help: 'Senders with transactions in the pool',
  read: (pool) => pool.status().senders,
})

export const POOL_SPACE = POOL_GAUGES.declare({
  name: 'space_used',
  help: 'Bytes of transactions in the pool',
  read: (pool) => pool.status().bytes,
})

export const POOL_LIMIT = POOL_GAUGES.declare({
  name: 'limit',
  help: 'Capacity of the pool, in transactions',
  read: (pool) => pool.status().maxSize,
})

export const POOL_ADDED: CounterRow<'source'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_added',
  help: 'Transactions added to the pool',
  labels: ['source'],
  besu: 'same',
}

export const POOL_DROPPED: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'transaction_pool',
  name: 'transactions_dropped',
  help: 'Transactions dropped from the pool',
  labels: ['reason'],
}

export function addPoolMetrics(metrics: Metrics, pool: TransactionPool): void {
  POOL_GAUGES.readFrom(pool, metrics)
  const added = metrics.counter(POOL_ADDED)
  pool.added.subscribe((batch) => {
    for (const [source, count] of countBy(batch, ({ origin }) => origin)) added.add(count, { source })
  })
  const dropped = metrics.counter(POOL_DROPPED)
  pool.dropped.subscribe((batch) => {
    for (const [reason, count] of countBy(batch, (drop): DropReason => drop.reason)) {
      dropped.add(count, { reason })
    }
  })
}

/** A counter costs about as much as an admission, so it is increased once per batch. */
function countBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
