/** Whether a transaction may take the place of the one with the same sender and nonce. */
import { type Rejection, reject, type SubmittedTransaction } from '#pool/submitted-transaction.ts'

export interface PriceBumps {
  /** Percent by which every price of a replacement is above those of what it replaces; 0: as high is enough. */
  readonly priceBump: number
  /** Where one of the two has blobs. */
  readonly blobPriceBump: number
}

const PRICES = {
  maxFeePerGas: 'highest fee',
  maxPriorityFeePerGas: 'priority fee',
  maxFeePerBlobGas: 'fee per blob gas',
} as const satisfies Partial<Record<keyof SubmittedTransaction, string>>

/** undefined: it may. */
export function isUnderpriced(
  next: SubmittedTransaction,
  before: SubmittedTransaction,
  { priceBump, blobPriceBump }: PriceBumps,
): Rejection | undefined {
  const hasBlobs = next.type === 3 || before.type === 3
  const bump = hasBlobs ? blobPriceBump : priceBump
  for (const [price, word] of Object.entries(PRICES) as [keyof typeof PRICES, string][]) {
    // Neither has blobs, or the one that had them gives way to one without: then their price is no measure.
    if (price === 'maxFeePerBlobGas' && next.type !== 3) continue
    const least = leastAfter(before[price], bump)
    if (next[price] >= least) continue
    return reject(
      'TRANSACTION_REPLACEMENT_UNDERPRICED',
      `The pool has a transaction of this sender with nonce ${next.nonce}, and its ${word} is ${before[price]} wei: to replace it, offer at least ${least} wei, not ${next[price]}.`,
    )
  }
  return undefined
}

/** A price of 0 has no percentage: with a bump, 1 wei is more than nothing. */
function leastAfter(price: bigint, bump: number): bigint {
  if (bump === 0) return price
  const least = (price * BigInt(100 + bump) + 99n) / 100n
  return least > price ? least : price + 1n
}
