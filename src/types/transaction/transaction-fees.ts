/** What a transaction offers to pay, whichever type it is. */
import type { UnsignedTransaction } from './transaction.ts'

/** EIP-4844. */
export const GAS_PER_BLOB = 131_072n

/** What of a transaction says what it pays for gas. */
type OfferedFees =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The most per gas, tip included; before London and for types 0 and 1, the price. */
export function maxFeePerGas(transaction: OfferedFees): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas
}

/** The most per gas that goes to the block's beneficiary. */
export function maxPriorityFeePerGas(transaction: OfferedFees): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxPriorityFeePerGas
}

/** What a gas costs in a block; at most what is offered, even where that is below the base fee. */
export function effectiveGasPrice(transaction: OfferedFees, baseFeePerGas: bigint | undefined): bigint {
  const max = maxFeePerGas(transaction)
  const withTip = (baseFeePerGas ?? 0n) + maxPriorityFeePerGas(transaction)
  if (withTip < max) return withTip
  return max
}

export function blobGas(transaction: UnsignedTransaction): bigint {
  return transaction.type === 3 ? GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) : 0n
}

/** The most that the sender can lose: what the balance has to cover. */
export function maxCostWei(transaction: UnsignedTransaction): bigint {
  const blobCost = transaction.type === 3 ? blobGas(transaction) * transaction.maxFeePerBlobGas : 0n
  return transaction.gasLimit * maxFeePerGas(transaction) + transaction.value + blobCost
}
