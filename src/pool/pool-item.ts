import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { SenderQueue } from './core/sender-queue.ts'

/** A transaction of the pool as others are told of it. */
export interface PoolItem {
  readonly hash: Hash
  readonly encoded: Uint8Array
  readonly sender: Address
  /** Every nonce of its sender before it is there. */
  readonly isPending: boolean
  readonly isLocal: boolean
  readonly hasPriority: boolean
  /** In the order of admission. */
  readonly arrival: number
  readonly arrivedAtMs: number
  /** How often the time of a block was up while it was running. */
  readonly timeouts: number
}

/** Part of a list that may be long. `next`: where the rest begins; undefined: this was the last. */
export interface PoolPage<Cursor> {
  readonly items: readonly PoolItem[]
  readonly next: Cursor | undefined
}

/** Of one page, so that whoever reads a full pool holds up nobody. */
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
  const { hash, encoded, sender, nonce } = transaction
  return {
    hash,
    encoded,
    sender,
    isPending: nonce < nextNonce,
    isLocal: origin === 'local',
    hasPriority,
    arrival,
    arrivedAtMs,
    timeouts,
  }
}
