/**
 * Why a transaction cannot be executed: one word for each reason, whoever finds it. Edges map the words to theirs by
 * records over the union, so that a new one does not compile until each has its row. What only the pool asks of a
 * transaction is not here: a block may hold what a pool refuses.
 */

/** Spelled as in Besu, where it has a word. */
export const REFUSAL_REASONS = [
  'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE',
  'EMPTY_CODE_DELEGATION',
  /** The block could not hold it, were it empty. */
  'EXCEEDS_BLOCK_GAS_LIMIT',
  /** EIP-7825. */
  'EXCEEDS_TRANSACTION_GAS_LIMIT',
  'GAS_PRICE_BELOW_CURRENT_BASE_FEE',
  'INITCODE_TOO_LARGE',
  'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT',
  'INVALID_BLOBS',
  'INVALID_SIGNATURE',
  'INVALID_TRANSACTION_FORMAT',
  'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  'NONCE_OVERFLOW',
  'NONCE_TOO_HIGH',
  'NONCE_TOO_LOW',
  'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED',
  /** EIP-3607. */
  'SENDER_HAS_CODE',
  /** More blobs than a transaction, or a block that is empty, may have. */
  'TOTAL_BLOB_GAS_TOO_HIGH',
  /** What the transactions before it left of the block is not enough; a later block may hold it. */
  'TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS',
  'TX_TOO_LARGE_FOR_REMAINING_GAS',
  'UPFRONT_COST_EXCEEDS_BALANCE',
  'UPFRONT_COST_EXCEEDS_UINT256',
  'WRONG_CHAIN_ID',
] as const

export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export interface Refusal {
  readonly reason: RefusalReason
  /** For people: what is wrong with this transaction, in its own numbers. */
  readonly sentence: string
}
