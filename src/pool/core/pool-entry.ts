import type { SubmittedTransaction, TransactionOrigin } from '#pool/submitted-transaction.ts'
import type { WaitNote } from '#pool/wait-reason.ts'

/** A transaction in the pool. */
export interface PoolEntry {
  readonly transaction: SubmittedTransaction
  readonly origin: TransactionOrigin
  /** Goes before all others, and no floor of the price holds for it. */
  readonly hasPriority: boolean
  /** In the order of admission, from 1. */
  readonly arrival: number
  /** By the clock on the wall, for people. */
  readonly arrivedAtMs: number
  /** On the monotonic clock. */
  readonly keptSinceMs: number
  /** What was found when it could not be in a block. */
  note: WaitNote | undefined
  /** How often the time of a block was up while it was running. */
  timeouts: number
}

/** What it takes. */
export function bytesOf({ transaction: { encoded, withBlobs } }: PoolEntry): number {
  return encoded.length + (withBlobs?.length ?? 0)
}

export function compareBigints(a: bigint, b: bigint): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}
