import type { SubmittedTransaction, TransactionOrigin } from '#pool/submitted-transaction.ts'
import type { WaitNote } from '#pool/wait-reason.ts'

/** A transaction in the pool. */
export interface PoolEntry {
  readonly transaction: SubmittedTransaction
  readonly origin: TransactionOrigin
  /** Goes before all other transactions and is exempt from price floors. */
  readonly hasPriority: boolean
  /** The number of the admission, counted from 1. */
  readonly arrival: number
  /** Wall clock time, shown to users. */
  readonly arrivedAtMs: number
  /** Monotonic time. */
  readonly keptSinceMs: number
  /** Why the last block builder left the transaction out. */
  note: WaitNote | undefined
  /** How often the block time ran out while the transaction was running. */
  timeouts: number
}

export function bytesOf({ transaction: { encoded, blobs } }: PoolEntry): number {
  return encoded.length + (blobs?.encoded.length ?? 0)
}

export function compareBigints(a: bigint, b: bigint): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}
