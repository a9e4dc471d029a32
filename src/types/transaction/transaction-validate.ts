/** Transaction rules that need neither state nor block. */
import { MAX_UINT64, MAX_UINT256 } from '#types/bytes.ts'
import { FIRST_FORKS, type ForkName, includesFork } from '#types/genesis/fork-schedule.ts'
import { minGasLimit } from './intrinsic-gas.ts'
import type { Refusal, RefusalReason } from './refusal.ts'
import { isLowS } from './signature.ts'
import type { Transaction } from './transaction.ts'
import { maxFeePerGas } from './transaction-fees.ts'

export interface TransactionRules {
  readonly fork: ForkName
  readonly chainId: bigint
  /** Maximum bytes of init code; unlimited if undefined. */
  readonly maxInitcodeBytes?: number | undefined
  /** Maximum blobs of one transaction; unlimited if undefined. */
  readonly maxBlobs?: number | undefined
}

export type TransactionVerdict = { readonly ok: true } | ({ readonly ok: false } & Refusal)

/** EIP-7825, from Osaka on. */
export const MAX_TRANSACTION_GAS = 2n ** 24n
/** EIP-3860. */
export const MAX_INITCODE_BYTES = 49_152

/** EIP-2681: an account at this nonce is exhausted, so its last transaction has the nonce before. */
export const MAX_NONCE = MAX_UINT64
const MAX_TRANSACTION_NONCE = MAX_NONCE - 1n
const BLOB_HASH_VERSION = '0x01'
const VALID: TransactionVerdict = { ok: true }

/** recoverSender determines the sender, and whether there is one. */
export function validateTransaction(transaction: Transaction, rules: TransactionRules): TransactionVerdict {
  return (
    refuseSignature(transaction, rules) ??
    refuseAmounts(transaction, rules) ??
    refuseLists(transaction, rules) ??
    VALID
  )
}

function refuseSignature(
  { type, chainId, s }: Transaction,
  rules: TransactionRules,
): TransactionVerdict | undefined {
  if (!includesFork(rules.fork, FIRST_FORKS[type]!)) {
    const sentence = `Transactions of type ${type} come with ${FIRST_FORKS[type]!}, and ${rules.fork} is in force.`
    return refuse('INVALID_TRANSACTION_FORMAT', sentence)
  }
  if (chainId !== null && !includesFork(rules.fork, 'spuriousDragon')) {
    const sentence = 'The transaction names a chain, which it can do only from Spurious Dragon on.'
    return refuse('REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED', sentence)
  }
  if (chainId !== null && chainId !== rules.chainId) {
    const sentence = `The transaction was signed for chain ${chainId}, and this is chain ${rules.chainId}.`
    return refuse('WRONG_CHAIN_ID', sentence)
  }
  if (!isLowS(s) && includesFork(rules.fork, 'homestead')) {
    const sentence = 'The s of the signature is above half the order of the curve; use the other signature.'
    return refuse('INVALID_SIGNATURE', sentence)
  }
  return undefined
}

function refuseAmounts(transaction: Transaction, rules: TransactionRules): TransactionVerdict | undefined {
  const { nonce, gasLimit } = transaction
  if (nonce > MAX_TRANSACTION_NONCE) {
    return refuse('NONCE_OVERFLOW', `The nonce ${nonce} is above the highest, ${MAX_TRANSACTION_NONCE}.`)
  }
  if ('maxFeePerGas' in transaction && transaction.maxPriorityFeePerGas > transaction.maxFeePerGas) {
    const { maxPriorityFeePerGas: tip, maxFeePerGas: most } = transaction
    const sentence = `The priority fee ${tip} is above ${most}, the highest fee in all.`
    return refuse('MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS', sentence)
  }
  // Without the value: together with it, a high cost exceeds any balance, which is another reason.
  if (gasLimit * maxFeePerGas(transaction) > MAX_UINT256) {
    const sentence = 'The gas limit at the highest fee costs more than 2^256 - 1 wei.'
    return refuse('UPFRONT_COST_EXCEEDS_UINT256', sentence)
  }
  if (gasLimit > MAX_TRANSACTION_GAS && includesFork(rules.fork, 'osaka')) {
    const sentence = `The gas limit ${gasLimit} exceeds the transaction gas limit ${MAX_TRANSACTION_GAS}.`
    return refuse('EXCEEDS_TRANSACTION_GAS_LIMIT', sentence)
  }
  const least = minGasLimit(transaction, rules.fork)
  if (gasLimit < least) {
    const sentence = `The gas limit ${gasLimit} is below the ${least} gas that the transaction costs at least.`
    return refuse('INTRINSIC_GAS_EXCEEDS_GAS_LIMIT', sentence)
  }
  return undefined
}

function refuseLists(transaction: Transaction, rules: TransactionRules): TransactionVerdict | undefined {
  const { to, data } = transaction
  const { maxInitcodeBytes = data.length, maxBlobs } = rules
  if (to === null && data.length > maxInitcodeBytes) {
    const sentence = `The initcode has ${data.length} bytes, more than the ${maxInitcodeBytes} allowed.`
    return refuse('INITCODE_TOO_LARGE', sentence)
  }
  if (transaction.type === 3) return refuseBlobs(transaction.blobVersionedHashes, maxBlobs)
  if (transaction.type === 4 && transaction.authorizationList.length === 0) {
    return refuse('EMPTY_CODE_DELEGATION', 'A transaction of type 4 needs at least one authorization.')
  }
  return undefined
}

function refuseBlobs(
  hashes: readonly string[],
  maxBlobs: number | undefined = hashes.length,
): TransactionVerdict | undefined {
  if (hashes.length === 0) {
    return refuse('INVALID_BLOBS', 'A transaction of type 3 needs at least one blob.')
  }
  if (hashes.length > maxBlobs) {
    const sentence = `There are ${hashes.length} blobs, more than the ${maxBlobs} allowed.`
    return refuse('TOTAL_BLOB_GAS_TOO_HIGH', sentence)
  }
  if (hashes.some((hash) => !hash.startsWith(BLOB_HASH_VERSION))) {
    return refuse('INVALID_BLOBS', 'The hash of a blob begins with the byte 0x01.')
  }
  return undefined
}

function refuse(reason: RefusalReason, sentence: string): TransactionVerdict {
  return { ok: false, reason, sentence }
}
