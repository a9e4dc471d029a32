import type { ExecutedBlock } from '#chain/block/stages.ts'
import type { Hash } from '#types/hash.ts'

/** Totals of imported blocks since the start, for metrics. A reorg does not subtract blocks. */
export class ImportedTotals {
  gasUsed = 0n
  transactions = 0
  #last: { readonly hash: Hash; readonly transactions: number } | undefined

  add({ hash, block: { header, transactions } }: ExecutedBlock): void {
    this.gasUsed += header.gasUsed
    this.transactions += transactions.length
    this.#last = { hash, transactions: transactions.length }
  }

  /** Returns the transaction count of the block imported last; undefined for other blocks. */
  transactionsOf(hash: Hash): number | undefined {
    return this.#last?.hash === hash ? this.#last.transactions : undefined
  }
}
