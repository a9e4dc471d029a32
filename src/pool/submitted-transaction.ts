/**
 * The room `pool` holds the transactions that wait for a block, on main: it admits, orders, replaces, evicts and drops
 * them, tells why each of them waits, and offers the next ones to whoever builds a block. It does not decode what came
 * from outside on main: `prepare-submission.ts` does, on the thread that received it. Who may send is asked through a port.
 */
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'

/** Decoded, valid by the rules of the next block, and with its sender: what is left to judge needs the pool and the head. */
export interface SubmittedTransaction {
  readonly hash: Hash
  /** As it stands in a block, in an array of its own: a view would take what it is a part of along to other threads. */
  readonly encoded: Uint8Array
  /** With its blobs, as peers exchange it; undefined: it has none. */
  readonly withBlobs?: Uint8Array | undefined
  readonly sender: Address
  readonly type: TransactionType
  readonly nonce: bigint
  /** null creates a contract. */
  readonly to: Address | null
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** 0 of a transaction without blobs. */
  readonly maxFeePerBlobGas: bigint
  /** The most that the sender can lose by it, value included. */
  readonly maxCostWei: bigint
}

/** `local`: sent to this node by JSON-RPC. `remote`: it came from a peer, or from a block that left the chain. */
export type TransactionOrigin = 'local' | 'remote'

/** What only the pool asks of a transaction, beside what a block asks of it. Spelled as in Besu where it has a word. */
export const POOL_REFUSALS = [
  'TX_FEECAP_EXCEEDED',
  'GAS_PRICE_TOO_LOW',
  'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  'PLUGIN_REFUSED',
  /** More verdicts of `mayTransact` are waited for than the pool waits for. */
  'POOL_BUSY',
  'POOL_FULL',
  'REPLAY_PROTECTED_SIGNATURE_REQUIRED',
  'TRANSACTION_ALREADY_KNOWN',
  'TRANSACTION_REPLACEMENT_UNDERPRICED',
  'TX_SENDER_NOT_AUTHORIZED',
] as const

export type AdmissionReason = RefusalReason | (typeof POOL_REFUSALS)[number]

export interface Rejection {
  readonly ok: false
  readonly reason: AdmissionReason
  /** For people. */
  readonly sentence: string
}

export type AdmissionVerdict = { readonly ok: true } | Rejection

export function reject(reason: AdmissionReason, sentence: string): Rejection {
  return { ok: false, reason, sentence }
}

/** One that entered the pool. */
export interface PoolAddition {
  readonly transaction: SubmittedTransaction
  readonly origin: TransactionOrigin
}

/**
 * `nonceUsed`: the chain has another transaction with its nonce. `expired`: it waited longer than the pool keeps one.
 * `evicted`: the pool was full of better ones. `tooSlow`: it did not end within the time of a block, more than once.
 * `invalid`: no block can hold it any more.
 */
export const DROP_REASONS = ['replaced', 'evicted', 'expired', 'nonceUsed', 'tooSlow', 'invalid'] as const

export type DropReason = (typeof DROP_REASONS)[number]

/** One that left the pool and is not in the chain. */
export interface PoolDrop {
  readonly transaction: SubmittedTransaction
  readonly reason: DropReason
  readonly sentence: string
}
