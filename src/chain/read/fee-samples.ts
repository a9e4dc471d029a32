/** Fees of recent transactions, cached per block, so a new head costs one block. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Hash } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

export interface FeeSample {
  /** Prices of transactions with a gas price. */
  readonly gasPrices: readonly bigint[]
  /** Tips of the other transactions. */
  readonly priorityFees: readonly bigint[]
}

/** Which blocks and which percentile of their fees. */
export interface FeeQuestion {
  readonly newest: KnownHeader
  readonly blocks: number
  readonly percentile: number
}

/** Undefined if no transaction has such a fee. */
export interface UsualFees {
  readonly gasPrice: bigint | undefined
  readonly priorityFee: bigint | undefined
}

const REMEMBERED_MAX = 2_048

interface RememberedBlock {
  readonly sample: FeeSample
  /** Leads to the block before without a read. */
  readonly parentHash: Hash
}

export class FeeSamples {
  readonly #lookup: Pick<Lookup, 'block' | 'firstBlock'>
  readonly #blocks = new BoundedMap<Hash, RememberedBlock>(REMEMBERED_MAX)
  /** Clients ask for the same fees until the head moves. */
  #last: { readonly question: FeeQuestion; readonly answer: UsualFees } | undefined

  constructor(lookup: Pick<Lookup, 'block' | 'firstBlock'>) {
    this.#lookup = lookup
  }

  usual(question: FeeQuestion): UsualFees {
    if (this.#last !== undefined && isSame(this.#last.question, question)) return this.#last.answer
    const { newest, blocks, percentile } = question
    const samples = [...this.upTo(newest, blocks)]
    const answer = {
      gasPrice: percentileOf(
        samples.flatMap(({ gasPrices }) => gasPrices),
        percentile,
      ),
      priorityFee: percentileOf(
        samples.flatMap(({ priorityFees }) => priorityFees),
        percentile,
      ),
    }
    this.#last = { question, answer }
    return answer
  }

  /** Yields samples of the last `blocks` complete blocks, newest first, along parent hashes. */
  *upTo({ hash, header }: KnownHeader, blocks: number): Generator<FeeSample, void, undefined> {
    const first = BigInt(this.#lookup.firstBlock())
    let [at, number] = [hash, header.number]
    for (let count = 0; count < blocks && number >= first; count++) {
      const block = this.#of(at)
      if (block === undefined) return
      yield block.sample
      at = block.parentHash
      number -= 1n
    }
  }

  /** Undefined if the block is not stored. */
  #of(hash: Hash): RememberedBlock | undefined {
    const remembered = this.#blocks.get(hash)
    if (remembered !== undefined) return remembered
    const known = this.#lookup.block(hash)
    if (known === undefined) return undefined
    const { transactions, header } = known.block
    const gasPrices: bigint[] = []
    const priorityFees: bigint[] = []
    for (const transaction of transactions) {
      if ('gasPrice' in transaction) gasPrices.push(transaction.gasPrice)
      else priorityFees.push(transaction.maxPriorityFeePerGas)
    }
    const read = { sample: { gasPrices, priorityFees }, parentHash: header.parentHash }
    this.#blocks.set(hash, read)
    return read
  }
}

function isSame(one: FeeQuestion, other: FeeQuestion): boolean {
  return (
    one.newest.hash === other.newest.hash &&
    one.blocks === other.blocks &&
    one.percentile === other.percentile
  )
}

/** The value that `percentile` percent lie below; undefined if there are no values. */
export function percentileOf(values: readonly bigint[], percentile: number): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100))]
}
