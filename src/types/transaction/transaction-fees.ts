/** The fees that a transaction offers, for all types. */
import type { UnsignedTransaction } from './transaction.ts'

/** EIP-4844. */
export const GAS_PER_BLOB = 131_072n

/** The fee fields of a transaction. */
type OfferedFees =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The maximum price per gas, tip included; for types 0 and 1, the gas price. */
export function maxFeePerGas(transaction: OfferedFees): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxFeePerGas
}

/** The maximum tip per gas for the block's beneficiary. */
export function maxPriorityFeePerGas(transaction: OfferedFees): bigint {
  return 'gasPrice' in transaction ? transaction.gasPrice : transaction.maxPriorityFeePerGas
}

/** The price per gas in a block; at most the offered fee, even if that is below the base fee. */
export function effectiveGasPrice(transaction: OfferedFees, baseFeePerGas: bigint | undefined): bigint {
  const max = maxFeePerGas(transaction)
  const withTip = (baseFeePerGas ?? 0n) + maxPriorityFeePerGas(transaction)
  if (withTip < max) return withTip
  return max
}

export function blobGas(transaction: UnsignedTransaction): bigint {
  return transaction.type === 3 ? GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) : 0n
}

/** The most that the sender can lose, which its balance must cover. */
export function maxCostWei(transaction: UnsignedTransaction): bigint {
  const blobCost = transaction.type === 3 ? blobGas(transaction) * transaction.maxFeePerBlobGas : 0n
  return transaction.gasLimit * maxFeePerGas(transaction) + transaction.value + blobCost
}
