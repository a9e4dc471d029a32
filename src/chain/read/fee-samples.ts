/** Fees of recent transactions, cached per block, so a new head costs one block. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { Hash } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

export interface FeeSample {
  /** Prices of transactions with a gas price. */
  readonly gasPrices: readonly bigint[]
  /** Tips of the other transactions. */
  readonly priorityFees: readonly bigint[]
}

const REMEMBERED_MAX = 2_048

export class FeeSamples {
  readonly #lookup: Lookup
  readonly #samples = new Map<Hash, FeeSample>()

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Yields samples of the last `blocks` complete blocks, newest first, along parent hashes. */
  *upTo(newest: KnownHeader, blocks: number): Generator<FeeSample, void, undefined> {
    let at: KnownHeader | undefined = newest
    const first = BigInt(this.#lookup.firstBlock())
    for (let count = 0; count < blocks && at !== undefined && at.header.number >= first; count++) {
      yield this.#of(at.hash)
      at = at.header.number === 0n ? undefined : this.#lookup.header(at.header.parentHash)
    }
  }

  #of(hash: Hash): FeeSample {
    const known = this.#samples.get(hash)
    if (known !== undefined) return known
    const gasPrices: bigint[] = []
    const priorityFees: bigint[] = []
    for (const transaction of this.#lookup.block(hash)?.block.transactions ?? []) {
      if ('gasPrice' in transaction) gasPrices.push(transaction.gasPrice)
      else priorityFees.push(transaction.maxPriorityFeePerGas)
    }
    const sample = { gasPrices, priorityFees }
    if (this.#samples.size >= REMEMBERED_MAX) this.#samples.delete(this.#samples.keys().next().value!)
    this.#samples.set(hash, sample)
    return sample
  }
}

/** The value that `percentile` percent lie below; undefined if there are no values. */
export function percentileOf(values: readonly bigint[], percentile: number): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100))]
}
