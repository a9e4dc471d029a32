/**
 * Candidates into a block that is open, one after another until it is full, its time is up or there are no more. What
 * cannot be in it is left out with its reason, and the rest goes on.
 */

import { prepareTransaction } from '#chain/write/prepare-transactions.ts'
import type { BlockSession, ExecutableHeader } from '#evm/block/block-session.ts'
import type { Crypto } from '#evm/crypto.ts'
import { CANCEL, type EngineTransaction, INTERRUPT } from '#evm/engine.ts'
import { evmFault } from '#evm/faults.ts'
import { transactionRulesOf } from '#evm/rules.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes } from '#types/hash.ts'
import { TRANSACTION_GAS } from '#types/transaction/intrinsic-gas.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import type { TransactionRules } from '#types/transaction/transaction-validate.ts'
import type { Candidate, LeftOut, LeftOutReason } from './candidates.ts'

/** The cheapest transaction: with less gas left, no other fits. */
const MIN_TRANSACTION_GAS = BigInt(TRANSACTION_GAS)
/** So many in a row that did not fit into what is left, or came after one: the block counts as full. */
const MAX_MISFITS = 64
/** They go back with a sentence each. Whoever offers so many in vain is asked for no more. */
const MAX_LEFT_OUT = 10_000
/** What the engine is handed at once. */
const MAX_BATCH = 512
/** What ran for so much of the time for a block would not get to its end in an empty one. */
const TOO_LONG_SHARE = 0.9

export interface Filled {
  readonly included: readonly EngineTransaction[]
  readonly leftOut: readonly LeftOut[]
}

export interface FillParts {
  readonly crypto: Crypto
  readonly cancel: Int32Array | undefined
  /** Monotonic. */
  readonly nowMs: () => number
  /** Of the whole block, for judging what was running at its end; undefined: without end. */
  readonly budgetMs: number | undefined
}

export async function fillBlock(
  session: BlockSession,
  draft: Pick<ExecutableHeader, 'gasLimit'>,
  slices: AsyncIterable<readonly Candidate[]>,
  parts: FillParts,
): Promise<Filled> {
  const { cancel } = parts
  const filling = new Filling(session, draft.gasLimit, parts)
  for await (const slice of slices) {
    const bits = cancel === undefined ? 0 : Atomics.load(cancel, 0)
    if ((bits & CANCEL) !== 0)
      throw evmFault('ENGINE_CANCELLED', { sentence: 'The block is not wanted any more.' })
    if ((bits & INTERRUPT) !== 0) break
    await filling.take(slice)
    if (filling.isDone) break
  }
  return filling
}

class Filling implements Filled {
  readonly included: EngineTransaction[] = []
  readonly leftOut: LeftOut[] = []
  isDone = false
  readonly #session: BlockSession
  readonly #gasLimit: bigint
  readonly #parts: FillParts
  readonly #ownRules: TransactionRules
  /**
   * How many the engine is handed next. What is behind one that is refused was handed over in vain, so a batch is no
   * longer than twice what went well since the last refusal: a run of n candidates hands over less than 3 n.
   */
  #batch = 1
  #misfits = 0
  /** What the batches before took. */
  #pastMs = 0

  constructor(session: BlockSession, gasLimit: bigint, parts: FillParts) {
    this.#session = session
    this.#gasLimit = gasLimit
    this.#parts = parts
    this.#ownRules = transactionRulesOf(session.rules)
  }

  async take(slice: readonly Candidate[]): Promise<void> {
    const ready = slice.flatMap((candidate) => this.#prepare(candidate) ?? [])
    if (ready.length < slice.length) this.isDone = this.#isFull()
    for (let from = 0; from < ready.length && !this.isDone; ) {
      const batch = ready.slice(from, from + this.#batch)
      const [startMs, gasBefore] = [this.#parts.nowMs(), this.#gasUsed]
      const { ran, refusal, isInterrupted } = await this.#session.runSome(batch)
      const tookMs = this.#parts.nowMs() - startMs
      this.included.push(...batch.slice(0, ran))
      from += ran
      if (ran > 0) this.#misfits = 0
      if (isInterrupted) {
        this.#leaveOutRunning(ready[from]!, this.#withoutOthers(tookMs, gasBefore))
        this.isDone = true
      } else if (refusal === undefined) {
        this.#batch = Math.min(this.#batch * 2, MAX_BATCH)
      } else {
        this.#leaveOut(ready[from]!, refusal.reason, refusal.sentence)
        this.#batch = 1
        from++
        // What its sender sends next has too high a nonce.
        if (refusal.reason === 'TX_TOO_LARGE_FOR_REMAINING_GAS' || this.#misfits > 0) this.#misfits++
        this.isDone = this.#isFull()
      }
      this.#pastMs += tookMs
    }
  }

  /** Of a batch, without what ran to its end in it: by gas, as fast as the batches before. */
  #withoutOthers(tookMs: number, gasBefore: bigint): number {
    const pastGas = Number(gasBefore)
    const othersMs = pastGas === 0 ? 0 : (Number(this.#gasUsed - gasBefore) / pastGas) * this.#pastMs
    return Math.max(0, tookMs - othersMs)
  }

  #leaveOutRunning({ transaction }: EngineTransaction, runMs: number): void {
    const { budgetMs = Number.POSITIVE_INFINITY } = this.#parts
    const isTooLong = runMs >= budgetMs * TOO_LONG_SHARE
    const ran = `it ran for ${Math.round(runMs)} ms`
    this.leftOut.push({
      hash: (transaction as Transaction).hash,
      reason: isTooLong ? 'TX_EVALUATION_TOO_LONG' : 'BLOCK_SELECTION_TIMEOUT',
      sentence: isTooLong
        ? `The transaction takes longer than a block may: ${ran} and was not done.`
        : `The time for building the block was up while the transaction was running: ${ran}.`,
      runMs,
    })
  }

  #prepare({ encoded, sender }: Candidate): EngineTransaction | undefined {
    const { crypto } = this.#parts
    const { keccak } = crypto
    try {
      const transaction = decodeTransaction(encoded, keccak)
      const verdict = prepareTransaction(transaction, this.#ownRules, crypto, sender)
      if (verdict.ok) return verdict.prepared
      this.leftOut.push({ hash: transaction.hash, reason: verdict.reason, sentence: verdict.sentence })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const hash = hashFromBytes(keccak(encoded))
      this.leftOut.push({ hash, reason: 'INVALID_TRANSACTION_FORMAT', sentence: error.data.sentence })
    }
    return undefined
  }

  #leaveOut({ transaction }: EngineTransaction, reason: LeftOutReason, sentence: string): void {
    this.leftOut.push({ hash: (transaction as Transaction).hash, reason, sentence })
  }

  get #gasUsed(): bigint {
    return this.#session.session.gasUsed
  }

  #isFull(): boolean {
    const gasLeft = this.#gasLimit - this.#gasUsed
    return (
      this.#misfits >= MAX_MISFITS || this.leftOut.length >= MAX_LEFT_OUT || gasLeft < MIN_TRANSACTION_GAS
    )
  }
}
