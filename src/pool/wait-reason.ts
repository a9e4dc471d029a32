import type { LeftOutReason } from '#chain/build/candidates.ts'

/**
 * Why a transaction waits. `turn`: nothing blocks it. `gap`: a nonce before it is missing. `behind`: an earlier transaction of
 * its sender waits. `blockSize`: the last block had too few bytes left. `slow`: the block time ran out while it was running, so
 * it is tried after all others.
 */
export const WAIT_REASONS = [
  'turn',
  'gap',
  'behind',
  'price',
  'balance',
  'permission',
  'gasLimit',
  'blockSize',
  'slow',
] as const

export type WaitReason = (typeof WAIT_REASONS)[number]

/** The finding of a block builder. */
export interface WaitNote {
  readonly reason: WaitReason
  readonly sentence: string
  /** Wall clock time. */
  readonly sinceMs: number
}

/** What the pool does with a transaction that a block builder left out. */
export type LeftOutFate =
  | { readonly kind: 'waits'; readonly reason: WaitReason }
  /** The sender's account differs from the pool's copy, or its previous transaction was left out. */
  | { readonly kind: 'refresh' }
  | { readonly kind: 'drops' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'tooSlow' }

const DROPS: LeftOutFate = { kind: 'drops' }
const REFRESH: LeftOutFate = { kind: 'refresh' }

export const LEFT_OUT_FATES: Readonly<Record<LeftOutReason, LeftOutFate>> = {
  BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE: { kind: 'waits', reason: 'price' },
  BLOCK_SELECTION_TIMEOUT: { kind: 'timeout' },
  EMPTY_CODE_DELEGATION: DROPS,
  EXCEEDS_BLOCK_GAS_LIMIT: { kind: 'waits', reason: 'gasLimit' },
  EXCEEDS_TRANSACTION_GAS_LIMIT: DROPS,
  GAS_PRICE_BELOW_CURRENT_BASE_FEE: { kind: 'waits', reason: 'price' },
  INITCODE_TOO_LARGE: DROPS,
  INTRINSIC_GAS_EXCEEDS_GAS_LIMIT: DROPS,
  INVALID_BLOBS: DROPS,
  INVALID_SIGNATURE: DROPS,
  INVALID_TRANSACTION_FORMAT: DROPS,
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: DROPS,
  NONCE_OVERFLOW: DROPS,
  NONCE_TOO_HIGH: REFRESH,
  NONCE_TOO_LOW: REFRESH,
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: DROPS,
  SENDER_HAS_CODE: DROPS,
  TOO_LARGE_FOR_REMAINING_BLOCK_SIZE: { kind: 'waits', reason: 'blockSize' },
  TOTAL_BLOB_GAS_TOO_HIGH: DROPS,
  TX_EVALUATION_TOO_LONG: { kind: 'tooSlow' },
  TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS: { kind: 'waits', reason: 'gasLimit' },
  TX_TOO_LARGE_FOR_REMAINING_GAS: { kind: 'waits', reason: 'gasLimit' },
  UPFRONT_COST_EXCEEDS_BALANCE: { kind: 'waits', reason: 'balance' },
  UPFRONT_COST_EXCEEDS_UINT256: DROPS,
  WRONG_CHAIN_ID: DROPS,
}
