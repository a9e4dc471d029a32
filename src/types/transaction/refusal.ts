/**
 * Reasons why a transaction cannot be executed. The edges map them to their own words by records over the union, so a
 * new reason does not compile until each has its row. Reasons of the pool alone are not here: a block may contain
 * transactions that a pool refuses.
 */

/** Besu's names where it has one. */
export const REFUSAL_REASONS = [
  'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE',
  'EMPTY_CODE_DELEGATION',
  /** Not even an empty block could contain it. */
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
  /** More blobs than a transaction or an empty block may have. */
  'TOTAL_BLOB_GAS_TOO_HIGH',
  /** The rest of the block is too small; a later block may contain it. */
  'TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS',
  'TX_TOO_LARGE_FOR_REMAINING_GAS',
  'UPFRONT_COST_EXCEEDS_BALANCE',
  'UPFRONT_COST_EXCEEDS_UINT256',
  'WRONG_CHAIN_ID',
] as const

export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export interface Refusal {
  readonly reason: RefusalReason
  /** For people: what is wrong with this transaction, with its values. */
  readonly sentence: string
}
