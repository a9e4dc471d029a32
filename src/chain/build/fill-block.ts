/**
 * Fills an open block with candidates until it is full, its time is up or no candidates remain. A candidate that
 * cannot be included is left out with a reason, and the next one follows.
 */

import { prepareTransaction } from '#chain/execute/prepare-transactions.ts'
import { bytesInBlock, transactionsMaxBytes } from '#chain/rules/block-size.ts'
import type { BlockSession, ExecutableHeader } from '#evm/block/block-session.ts'
import type { Crypto } from '#evm/crypto.ts'
import { CANCEL, type EngineTransaction, INTERRUPT } from '#evm/engine.ts'
import { evmFault } from '#evm/faults.ts'
import { transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes } from '#types/hash.ts'
import { TRANSACTION_GAS } from '#types/transaction/intrinsic-gas.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import { MAX_TRANSACTION_BYTES, type Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import type { TransactionRules } from '#types/transaction/transaction-validate.ts'
import type { Candidate, LeftOut, LeftOutReason } from './candidates.ts'

/** Gas of the cheapest transaction; no transaction fits into less. */
const MIN_TRANSACTION_GAS = BigInt(TRANSACTION_GAS)
/**
 * Consecutive candidates that do not fit, or that follow such a candidate of the same sender, after which an almost
 * full block counts as full.
 */
const MAX_MISFITS = 64
/** Percent of the gas limit or of the bytes from which a block is almost full. Besu's default occupancy ratio. */
const ALMOST_FULL_PERCENT = 80
/** Misfits reported to the pool. Further ones are skipped without a report, so they cannot end a block that has room. */
const MAX_REPORTED_MISFITS = 1_000
/** Refused candidates, each reported with a sentence, after which a block requests no more. */
const MAX_LEFT_OUT = 10_000
/** Maximum transactions per call of the engine. */
const MAX_BATCH = 512
/** Share of the block's time after which a running transaction would not finish even in an empty block. */
const TOO_LONG_SHARE = 0.9

export interface Filled {
  readonly included: readonly EngineTransaction[]
  readonly leftOut: readonly LeftOut[]
}

/** A candidate that is ready for the engine. */
interface Ready {
  readonly prepared: EngineTransaction
  readonly bytes: number
}

export interface FillParts {
  readonly crypto: Crypto
  readonly cancel: Int32Array | undefined
  /** Reads a monotonic clock. */
  readonly nowMs: () => number
  /** Time for the complete block, used to judge the transaction running at its end; unlimited if undefined. */
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
   * Size of the next batch. Candidates behind a refused one were handed over for nothing, so a batch has at most
   * twice as many as succeeded since the last refusal: a run of n candidates hands over fewer than 3 n.
   */
  #batch = 1
  /** Consecutive misfits. */
  #misfits = 0
  #reportedMisfits = 0
  /** Senders of misfits: their next nonces cannot be in this block. */
  readonly #passedOver = new Set<Address>()
  readonly #maxBytes: number
  #bytes = 0
  /** Duration of the batches before this one. */
  #pastMs = 0

  constructor(session: BlockSession, gasLimit: bigint, parts: FillParts) {
    this.#session = session
    this.#gasLimit = gasLimit
    this.#parts = parts
    this.#ownRules = transactionRulesOf(session.rules)
    this.#maxBytes = transactionsMaxBytes(session.rules)
  }

  async take(slice: readonly Candidate[]): Promise<void> {
    const ready = slice.flatMap((candidate) => this.#prepare(candidate) ?? [])
    if (ready.length < slice.length) this.isDone = this.#isFull()
    for (let from = 0; from < ready.length && !this.isDone; ) {
      const { batch, next } = this.#nextBatch(ready, from)
      const [startMs, gasBefore] = [this.#parts.nowMs(), this.#gasUsed]
      const { ran, refusal, isInterrupted } = await this.#session.runSome(
        batch.map(({ prepared }) => prepared),
      )
      const tookMs = this.#parts.nowMs() - startMs
      for (const { prepared, bytes } of batch.slice(0, ran)) {
        this.included.push(prepared)
        this.#bytes += bytes
      }
      from = batch[ran]?.index ?? next
      if (isInterrupted) {
        this.#leaveOutRunning(ready[from]!.prepared, this.#withoutOthers(tookMs, gasBefore))
        this.isDone = true
      } else if (refusal === undefined) {
        if (ran > 0) this.#batch = Math.min(this.#batch * 2, MAX_BATCH)
        this.isDone = this.#isFull()
      } else {
        this.#refuse(ready[from]!, refusal)
        this.#batch = 1
        from++
        this.isDone = this.#isFull()
      }
      this.#pastMs += tookMs
    }
  }

  /** Collects candidates that may still fit and passes over the others without calling the engine. */
  #nextBatch(ready: readonly Ready[], from: number): { batch: (Ready & { index: number })[]; next: number } {
    const batch: (Ready & { index: number })[] = []
    const gasLeft = this.#gasLimit - this.#gasUsed
    let bytesLeft = this.#maxBytes - this.#bytes
    let next = from
    for (; next < ready.length && batch.length < this.#batch && !this.#isFull(); next++) {
      const candidate = ready[next]!
      const { gasLimit } = candidate.prepared.transaction
      if (this.#passedOver.has(candidate.prepared.sender)) this.#misfits++
      else if (gasLimit > gasLeft && gasLimit <= this.#gasLimit) {
        const sentence = `Its gas limit is ${gasLimit}, and the block has ${gasLeft} gas left.`
        this.#passOver(candidate, 'TX_TOO_LARGE_FOR_REMAINING_GAS', sentence)
      } else if (candidate.bytes <= bytesLeft) {
        batch.push({ ...candidate, index: next })
        bytesLeft -= candidate.bytes
        this.#misfits = 0
      } else if (batch.length > 0) {
        // If one before it is refused, it may still fit.
        break
      } else {
        const sentence = `It has ${candidate.bytes} bytes, and the block has room for ${bytesLeft}.`
        this.#passOver(candidate, 'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE', sentence)
      }
    }
    return { batch, next }
  }

  #refuse(candidate: Ready, { reason, sentence }: Refusal): void {
    if (reason === 'TX_TOO_LARGE_FOR_REMAINING_GAS') this.#passOver(candidate, reason, sentence)
    else this.#leaveOut(candidate.prepared, reason, sentence)
  }

  #passOver({ prepared }: Ready, reason: LeftOutReason, sentence: string): void {
    this.#misfits++
    this.#passedOver.add(prepared.sender)
    if (this.#reportedMisfits++ < MAX_REPORTED_MISFITS) this.#leaveOut(prepared, reason, sentence)
  }

  /**
   * The time of a batch without the transactions that finished in it, estimated from gas at the speed of earlier
   * batches.
   */
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

  #prepare({ encoded, sender }: Candidate): Ready | undefined {
    const { crypto } = this.#parts
    const { keccak } = crypto
    try {
      if (encoded.length > MAX_TRANSACTION_BYTES) {
        throw new Fault('INVALID_TRANSACTION', {
          sentence: `It has more than ${MAX_TRANSACTION_BYTES} bytes.`,
        })
      }
      const transaction = decodeTransaction(encoded, keccak)
      const verdict = prepareTransaction(transaction, this.#ownRules, crypto, sender)
      if (verdict.ok) return { prepared: verdict.prepared, bytes: bytesInBlock(transaction) }
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
      this.leftOut.length >= MAX_LEFT_OUT ||
      gasLeft < MIN_TRANSACTION_GAS ||
      (this.#misfits >= MAX_MISFITS && this.#isAlmostFull())
    )
  }

  #isAlmostFull(): boolean {
    return (
      this.#gasUsed * 100n >= this.#gasLimit * BigInt(ALMOST_FULL_PERCENT) ||
      this.#bytes * 100 >= this.#maxBytes * ALMOST_FULL_PERCENT
    )
  }
}
