/**
 * The room `pool` holds the pending transactions, on main: it admits, orders, replaces, evicts and drops them, explains why
 * each waits, and offers candidates to block builders. `prepare-submission.ts` decodes transactions on the thread that received
 * them. The allowlist and plugins decide who may send (`may-transact.ts`).
 */
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { SidecarVersion } from '#types/transaction/blob-sidecar.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'

/** A decoded transaction with its sender, valid in the next block but for checks that need the pool and the head. */
export interface SubmittedTransaction {
  readonly hash: Hash
  /** The encoding in blocks, in its own buffer: a view would drag the complete buffer to other threads. */
  readonly encoded: Uint8Array
  /** Undefined for other types, and for a transaction of a block that left the chain. */
  readonly blobs?: SubmittedBlobs | undefined
  readonly sender: Address
  readonly type: TransactionType
  readonly nonce: bigint
  /** Null for a contract creation. */
  readonly to: Address | null
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** 0 for a transaction without blobs. */
  readonly maxFeePerBlobGas: bigint
  /** Maximum cost to the sender, including the value. */
  readonly maxCostWei: bigint
}

/** The verified blobs of a transaction. */
export interface SubmittedBlobs {
  readonly version: SidecarVersion
  /** The versioned hashes. */
  readonly hashes: readonly Hash[]
  /** The transaction with its blobs, as peers exchange it. */
  readonly encoded: Uint8Array
}

/** `local` transactions came by JSON-RPC, `remote` ones from a peer or from a block that left the chain. */
export type TransactionOrigin = 'local' | 'remote'

/** Refusals that only the pool makes. Besu's names are used if it has one. */
export const POOL_REFUSALS = [
  'TX_FEECAP_EXCEEDED',
  'GAS_PRICE_TOO_LOW',
  'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  'PLUGIN_REFUSED',
  /** Too many `mayTransact` verdicts are pending. */
  'POOL_BUSY',
  'POOL_FULL',
  'REPLAY_PROTECTED_SIGNATURE_REQUIRED',
  'TRANSACTION_ALREADY_KNOWN',
  'TRANSACTION_REPLACEMENT_UNDERPRICED',
  'TX_SENDER_NOT_AUTHORIZED',
  /** Blobs with the proofs of another fork. */
  'WRONG_BLOB_PROOFS',
] as const

export type AdmissionReason = RefusalReason | (typeof POOL_REFUSALS)[number]

export interface Rejection {
  readonly ok: false
  readonly reason: AdmissionReason
  readonly sentence: string
}

export type AdmissionVerdict = { readonly ok: true } | Rejection

export function reject(reason: AdmissionReason, sentence: string): Rejection {
  return { ok: false, reason, sentence }
}

export interface PoolAddition {
  readonly transaction: SubmittedTransaction
  readonly origin: TransactionOrigin
}

/**
 * `nonceUsed`: the chain includes another transaction with the same nonce. `expired`: it waited too long. `evicted`: the pool
 * was full of better ones. `tooSlow`: it exceeded the block time more than once. `invalid`: no block can include it any more.
 */
export const DROP_REASONS = [
  'replaced',
  'evicted',
  'expired',
  'nonceUsed',
  'tooSlow',
  'invalid',
  'discarded',
] as const

export type DropReason = (typeof DROP_REASONS)[number]

/** A transaction that left the pool and is not in the chain. */
export interface PoolDrop {
  readonly transaction: SubmittedTransaction
  readonly reason: DropReason
  readonly sentence: string
}
