import type { PoolEntry } from './core/pool-entry.ts'
import type { SenderQueue } from './core/sender-queue.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

/** A transaction of the pool as other rooms see it. */
export interface PoolItem
  extends Pick<SubmittedTransaction, 'hash' | 'encoded' | 'sender'>,
    Pick<PoolEntry, 'hasPriority' | 'arrival' | 'arrivedAtMs' | 'timeouts'> {
  /** Bytes in exchange encoding, which includes blobs. */
  readonly exchangeBytes: number
  /** True if no nonce of the sender before it is missing. */
  readonly isPending: boolean
  readonly isLocal: boolean
}

/** A part of a long list. `next` is the cursor of the rest; undefined on the last page. */
export interface PoolPage<Cursor> {
  readonly items: readonly PoolItem[]
  readonly next: Cursor | undefined
}

/** Page limits keep a reader of a full pool from blocking others. */
const MAX_PAGE_ITEMS = 1_000
const MAX_PAGE_BYTES = 1024 * 1024

export function poolPage<Cursor>(
  entries: Iterable<PoolEntry>,
  senderOf: (entry: PoolEntry) => SenderQueue,
  cursorOf: (entry: PoolEntry) => Cursor,
): PoolPage<Cursor> {
  const items: PoolItem[] = []
  let bytes = 0
  for (const entry of entries) {
    if (items.length >= MAX_PAGE_ITEMS || bytes >= MAX_PAGE_BYTES) return { items, next: cursorOf(entry) }
    items.push(itemOf(entry, senderOf(entry)))
    bytes += entry.transaction.encoded.length
  }
  return { items, next: undefined }
}

function itemOf(entry: PoolEntry, { nextNonce }: SenderQueue): PoolItem {
  const { transaction, origin, hasPriority, arrival, arrivedAtMs, timeouts } = entry
  const { hash, encoded, sender, nonce, blobs } = transaction
  return {
    hash,
    encoded,
    sender,
    exchangeBytes: blobs?.encoded.length ?? encoded.length,
    isPending: nonce < nextNonce,
    isLocal: origin === 'local',
    hasPriority,
    arrival,
    arrivedAtMs,
    timeouts,
  }
}
