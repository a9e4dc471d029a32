/** Decides whether a transaction may replace another one with the same sender and nonce. */
import { type Rejection, reject, type SubmittedTransaction } from '#pool/submitted-transaction.ts'

export interface PriceBumps {
  /** Percentage by which each price of a replacement must exceed the old one; with 0, equal prices suffice. */
  readonly priceBump: number
  /** The same percentage if the transactions have blobs. */
  readonly blobPriceBump: number
}

const PRICES = {
  maxFeePerGas: 'highest fee',
  maxPriorityFeePerGas: 'priority fee',
  maxFeePerBlobGas: 'fee per blob gas',
} as const satisfies Partial<Record<keyof SubmittedTransaction, string>>

/** Returns undefined if the replacement is allowed. */
export function isUnderpriced(
  next: SubmittedTransaction,
  before: SubmittedTransaction,
  { priceBump, blobPriceBump }: PriceBumps,
): Rejection | undefined {
  const hasBlobs = next.type === 3
  if (hasBlobs !== (before.type === 3)) {
    const [other, own] = hasBlobs ? ['without', 'with'] : ['with', 'without']
    const sentence = `The pool has a transaction ${other} blobs of this sender with nonce ${next.nonce}, and one ${own} blobs cannot replace it.`
    return reject('TRANSACTION_REPLACEMENT_UNDERPRICED', sentence)
  }
  const bump = hasBlobs ? blobPriceBump : priceBump
  for (const [price, word] of Object.entries(PRICES) as [keyof typeof PRICES, string][]) {
    if (price === 'maxFeePerBlobGas' && !hasBlobs) continue
    const least = leastAfter(before[price], bump)
    if (next[price] >= least) continue
    return reject(
      'TRANSACTION_REPLACEMENT_UNDERPRICED',
      `The pool has a transaction of this sender with nonce ${next.nonce}, and its ${word} is ${before[price]} wei: to replace it, offer at least ${least} wei, not ${next[price]}.`,
    )
  }
  return undefined
}

/** A percentage of price 0 is nothing, so a bump asks for at least 1 wei more. */
function leastAfter(price: bigint, bump: number): bigint {
  if (bump === 0) return price
  const least = (price * BigInt(100 + bump) + 99n) / 100n
  return least > price ? least : price + 1n
}
