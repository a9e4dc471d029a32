import type { Hash } from '#types/hash.ts'
import type { ExecutedBlock } from './stages.ts'

/** What came into the chain since the start, for metrics. Blocks that leave it again are not taken back. */
export class ImportedTotals {
  gasUsed = 0n
  transactions = 0
  #last: { readonly hash: Hash; readonly transactions: number } | undefined

  add({ hash, block: { header, transactions } }: ExecutedBlock): void {
    this.gasUsed += header.gasUsed
    this.transactions += transactions.length
    this.#last = { hash, transactions: transactions.length }
  }

  /** Of the block that came last; undefined where it is another. */
  transactionsOf(hash: Hash): number | undefined {
    return this.#last?.hash === hash ? this.#last.transactions : undefined
  }
}
