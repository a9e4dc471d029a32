/**
 * Receives transactions on the thread of the connection: decodes and validates each, then recovers the senders and submits all
 * transactions of one event loop turn together, or of a longer time, so main gets one message for many.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Hash } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import {
  prepareSubmission,
  recoverOne,
  type SubmissionRules,
  submissionOf,
  type Undecodable,
} from './prepare-submission.ts'
import {
  type AdmissionVerdict,
  type Rejection,
  reject,
  type SubmittedTransaction,
} from './submitted-transaction.ts'

export type IntakeVerdict = { readonly ok: true; readonly hash: Hash } | Rejection | Undecodable

export type Admit = (submissions: readonly SubmittedTransaction[]) => Promise<readonly AdmissionVerdict[]>

export interface IntakeParts {
  readonly chain: ChainView
  readonly crypto: Crypto
  readonly rules: SubmissionRules
  readonly admit: Admit
  /** Minimum time between two batches. If undefined, a batch has the transactions of one event loop turn. */
  readonly pace?: { readonly clock: Clock; readonly intervalMs: number }
}

/** Maximum transactions in one message to main, which clones it in one turn. */
const MAX_BATCH = 128
/** Below this number, recovering here is faster than handing over to other threads. */
const MIN_BESIDE = 4

interface Waiting {
  readonly transaction: Transaction
  readonly settle: (verdict: IntakeVerdict) => void
  readonly fail: (error: unknown) => void
}

export class Intake {
  readonly #parts: IntakeParts
  #waiting: Waiting[] = []
  #flushedMs = Number.NEGATIVE_INFINITY
  /** Resolves when the previous batch was sent, so batches are judged in order. */
  #sent: Promise<void> = Promise.resolve()

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  async submit(bytes: Uint8Array): Promise<IntakeVerdict> {
    const { chain, crypto, rules } = this.#parts
    const prepared = prepareSubmission(bytes, chain, crypto.keccak, rules)
    if (!prepared.ok) return prepared
    const { promise, resolve, reject: fail } = Promise.withResolvers<IntakeVerdict>()
    this.#waiting.push({ transaction: prepared.transaction, settle: resolve, fail })
    if (this.#waiting.length === 1) this.#flushSoon()
    return await promise
  }

  #flushSoon(): void {
    const { pace } = this.#parts
    const waitMs = pace === undefined ? 0 : this.#flushedMs + pace.intervalMs - pace.clock.monotonicMs()
    if (waitMs > 0) pace?.clock.after(waitMs, () => this.#flush(), { unref: true })
    else void nextTurn().then(() => this.#flush())
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#flushedMs = this.#parts.pace?.clock.monotonicMs() ?? 0
    for (let from = 0; from < waiting.length; from += MAX_BATCH) {
      this.#send(waiting.slice(from, from + MAX_BATCH))
    }
  }

  #send(batch: readonly Waiting[]): void {
    const submissions = this.#recover(batch)
    const answered = this.#sent
      .then(() => submissions)
      .then((recovered) => ({ verdicts: this.#admit(recovered) }))
    const failAll = (error: unknown): void => {
      for (const { fail } of batch) fail(error)
    }
    this.#sent = answered.then(
      ({ verdicts }) => {
        verdicts.then((settled) => {
          for (const [index, { settle }] of batch.entries()) settle(settled[index]!)
        }, failAll)
      },
      (error) => failAll(error),
    )
  }

  async #recover(batch: readonly Waiting[]): Promise<readonly (SubmittedTransaction | Rejection)[]> {
    const { crypto } = this.#parts
    const transactions = batch.map(({ transaction }) => transaction)
    const beside = batch.length < MIN_BESIDE ? undefined : await crypto.recoverBeside?.(transactions)
    return transactions.map((transaction, index) => {
      const sender = beside?.[index] ?? recoverOne(transaction, crypto)
      if (sender !== undefined) return submissionOf(transaction, sender)
      return reject('INVALID_SIGNATURE', 'No public key made this signature.')
    })
  }

  /** Transactions without a recovered sender already have their verdict. */
  async #admit(recovered: readonly (SubmittedTransaction | Rejection)[]): Promise<readonly IntakeVerdict[]> {
    const submissions = recovered.filter((one) => 'hash' in one)
    const verdicts = submissions.length === 0 ? [] : await this.#parts.admit(submissions)
    let next = 0
    return recovered.map((one) => {
      if (!('hash' in one)) return one
      const verdict = verdicts[next++]!
      return verdict.ok ? { ok: true, hash: one.hash } : verdict
    })
  }
}
