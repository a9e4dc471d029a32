/**
 * Receives transactions on the thread of the connection: decodes and validates each, then recovers the senders and submits all
 * transactions of one event loop turn together, or of a longer time, so main gets one message for many.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { isUnsigned } from '#types/transaction/unsigned-sender.ts'
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
  type SubmittedBlobs,
  type SubmittedTransaction,
} from './submitted-transaction.ts'
import { BlobVerifier } from './verify-blobs.ts'

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
/** Maximum bytes of blobs in one message, unless a single transaction has more. */
const MAX_BATCH_BLOB_BYTES = 2 * 1024 * 1024
/** Below this number, recovering here is faster than handing over to other threads. */
const MIN_BESIDE = 4

interface Waiting {
  readonly transaction: Transaction
  readonly blobs: SubmittedBlobs | undefined
  /** Known if the transaction is not signed, or was signed here. */
  readonly sender: Address | undefined
  readonly settle: (verdict: IntakeVerdict) => void
  readonly fail: (error: unknown) => void
}

export class Intake {
  readonly #parts: IntakeParts
  readonly #verifier: BlobVerifier
  #waiting: Waiting[] = []
  #flushedMs = Number.NEGATIVE_INFINITY
  /** Resolves when the previous batch was sent, so batches are judged in order. */
  #sent: Promise<void> = Promise.resolve()

  constructor(parts: IntakeParts) {
    this.#parts = parts
    this.#verifier = new BlobVerifier(parts.crypto.blobs, parts.rules)
  }

  /** `sender` is trusted: the transaction is of an impersonated account, which does not sign, or was signed here. */
  async submit(bytes: Uint8Array, sender?: Address): Promise<IntakeVerdict> {
    const { chain, crypto, rules } = this.#parts
    const prepared = prepareSubmission(bytes, chain, crypto.keccak, rules)
    if (!prepared.ok) return prepared
    if (sender === undefined && chain.isDevelopment && isUnsigned(prepared.transaction)) {
      return reject(
        'INVALID_SIGNATURE',
        'The transaction is not signed; eth_sendTransaction sends such ones.',
      )
    }
    const { transaction, unverified } = prepared
    const blobs = unverified && (await this.#verifier.verify(unverified))
    if (blobs !== undefined && 'ok' in blobs) return blobs
    const { promise, resolve, reject: fail } = Promise.withResolvers<IntakeVerdict>()
    this.#waiting.push({ transaction, blobs, sender, settle: resolve, fail })
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
    let batch: Waiting[] = []
    let blobBytes = 0
    for (const one of waiting) {
      const bytes = one.blobs?.encoded.length ?? 0
      if (batch.length === MAX_BATCH || (batch.length > 0 && blobBytes + bytes > MAX_BATCH_BLOB_BYTES)) {
        this.#send(batch)
        batch = []
        blobBytes = 0
      }
      batch.push(one)
      blobBytes += bytes
    }
    if (batch.length > 0) this.#send(batch)
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
      const sender = batch[index]!.sender ?? beside?.[index] ?? recoverOne(transaction, crypto)
      if (sender !== undefined) return submissionOf(transaction, sender, batch[index]!.blobs)
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
