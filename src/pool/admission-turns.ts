import { nextTurn } from '#platform/next-turn.ts'
import type { AdmissionVerdict, SubmittedTransaction, TransactionOrigin } from './submitted-transaction.ts'
import type { TransactionPool } from './transaction-pool.ts'

/** Main judges so many in one turn: about a millisecond. */
const ADMITTED_AT_ONCE = 32

type Verdicts = Promise<readonly AdmissionVerdict[]>

/**
 * Admits what clients send, a few transactions in each turn of main, however many come at once. They are judged in the order
 * in which they came.
 */
export class AdmissionTurns {
  readonly #pool: () => Pick<TransactionPool, 'admit'>
  #last: Promise<unknown> = Promise.resolve()

  constructor(pool: () => Pick<TransactionPool, 'admit'>) {
    this.#pool = pool
  }

  async admit(
    transactions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): Promise<readonly AdmissionVerdict[]> {
    const begun = this.#last.then(() => this.#begin(transactions, origin))
    this.#last = begun.catch(() => undefined)
    // A plugin may take its time for verdicts: those behind do not wait for them.
    return (await Promise.all(await begun)).flat()
  }

  async #begin(
    transactions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): Promise<Verdicts[]> {
    const all: Verdicts[] = []
    for (let from = 0; from < transactions.length; from += ADMITTED_AT_ONCE) {
      const verdicts = this.#admitSome(transactions.slice(from, from + ADMITTED_AT_ONCE), origin)
      // Whoever waits for all of them hears of it.
      verdicts.catch(() => undefined)
      all.push(verdicts)
      await nextTurn()
    }
    return all
  }

  async #admitSome(
    transactions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): Promise<readonly AdmissionVerdict[]> {
    return await this.#pool().admit(transactions, origin)
  }
}
