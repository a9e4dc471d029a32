import { nextTurn } from '#platform/next-turn.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import type { AdmissionVerdict, SubmittedTransaction, TransactionOrigin } from './submitted-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

/** Transactions judged in one turn of main; this takes about a millisecond. */
const ADMITTED_AT_ONCE = 32

type Verdicts = Promise<readonly AdmissionVerdict[]>

/** Admits transactions sent by clients in batches, one batch per turn of main, in order of arrival. */
export class AdmissionTurns {
  readonly #pool: Pick<TransactionPool, 'admit'>
  readonly #turns = new SerialQueue()

  constructor(pool: Pick<TransactionPool, 'admit'>) {
    this.#pool = pool
  }

  async admit(
    transactions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): Promise<readonly AdmissionVerdict[]> {
    // A plugin may take long to decide; later batches do not wait for it.
    const begun = await this.#turns.run(() => this.#begin(transactions, origin))
    return (await Promise.all(begun)).flat()
  }

  async #begin(
    transactions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): Promise<Verdicts[]> {
    const all: Verdicts[] = []
    for (let from = 0; from < transactions.length; from += ADMITTED_AT_ONCE) {
      const batch = transactions.slice(from, from + ADMITTED_AT_ONCE)
      const verdicts = Promise.try(() => this.#pool.admit(batch, origin))
      // `admit` reports the failure.
      verdicts.catch(() => undefined)
      all.push(verdicts)
      await nextTurn()
    }
    return all
  }
}
