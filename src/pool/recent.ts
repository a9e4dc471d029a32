/** Bounded memory of transactions that came and went. */
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Hash } from '#types/hash.ts'
import type { DropReason, SubmittedTransaction, TransactionOrigin } from './submitted-transaction.ts'

/** A transaction that left the pool. */
export interface RememberedDrop {
  readonly reason: DropReason
  readonly sentence: string
  /** Wall clock time. */
  readonly atMs: number
}

export const MAX_DROPS = 16_384

/** Reorgs of branches with more transactions are very rare; a forgotten transaction returns as remote. */
const MAX_LOCALS = 16_384

interface OriginRun {
  readonly origin: TransactionOrigin
  readonly run: readonly SubmittedTransaction[]
}

/** Remembers which included transactions were sent to this node. */
export class RecentLocals {
  readonly #hashes = new BoundedMap<Hash, true>(MAX_LOCALS)

  add(hash: Hash): void {
    this.#hashes.set(hash, true)
  }

  /** Groups transactions by origin and keeps their order: nonces out of order may be too far ahead. */
  *runsOf(submissions: readonly SubmittedTransaction[]): Generator<OriginRun> {
    let current: { origin: TransactionOrigin; run: SubmittedTransaction[] } | undefined
    for (const submission of submissions) {
      const origin = this.#hashes.get(submission.hash) === true ? 'local' : 'remote'
      if (current !== undefined && current.origin !== origin) yield current
      if (current?.origin !== origin) current = { origin, run: [] }
      current.run.push(submission)
    }
    if (current !== undefined) yield current
  }
}

/** Maximum bytes of blobs of included and dropped transactions: about 250 blobs with cell proofs, as many as some dozen blocks have. */
const MAX_BLOB_BYTES = 32 * 1024 * 1024

/** Remembers blobs of transactions that left the pool: a reorg may return a transaction, and blocks do not contain blobs. */
export class RecentBlobs {
  readonly #transactions = new Map<Hash, SubmittedTransaction>()
  #bytes = 0

  add(transaction: SubmittedTransaction): void {
    if (transaction.blobs === undefined) return
    this.#delete(transaction.hash)
    this.#transactions.set(transaction.hash, transaction)
    this.#bytes += transaction.blobs.encoded.length
    for (const hash of this.#transactions.keys()) {
      if (this.#bytes <= MAX_BLOB_BYTES) break
      this.#delete(hash)
    }
  }

  get(hash: Hash): SubmittedTransaction | undefined {
    return this.#transactions.get(hash)
  }

  /** The transactions, the latest last. */
  all(): Iterable<SubmittedTransaction> {
    return this.#transactions.values()
  }

  /** The transaction with its blobs; undefined if they are forgotten. */
  restore(transaction: SubmittedTransaction): SubmittedTransaction | undefined {
    return transaction.type === 3 ? this.get(transaction.hash) : transaction
  }

  #delete(hash: Hash): void {
    this.#bytes -= this.#transactions.get(hash)?.blobs?.encoded.length ?? 0
    this.#transactions.delete(hash)
  }
}

/** A filter that polls less often than once per this many additions sees only the latest. */
const MAX_ADDITIONS = 65_536

/** Hashes by addition number, for filters. */
export class RecentAdditions {
  readonly #hashes: Hash[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add(hash: Hash): void {
    this.#hashes[this.#count % MAX_ADDITIONS] = hash
    this.#count++
  }

  /** Additions number `from` + 1 to `to`. */
  between(from: number, to: number): Hash[] {
    const upTo = Math.min(to, this.#count)
    const first = Math.max(from, this.#count - MAX_ADDITIONS)
    const hashes: Hash[] = []
    for (let at = first; at < upTo; at++) hashes.push(this.#hashes[at % MAX_ADDITIONS]!)
    return hashes
  }
}

/** Base fee changes, to tell since when a price has been too low. */
const MAX_FEES = 1_024

export class RecentBaseFees {
  /** The latest comes last. */
  readonly #fees: { readonly fee: bigint; readonly atMs: number }[] = []

  add(fee: bigint, atMs: number): void {
    if (this.#fees.at(-1)?.fee === fee) return
    this.#fees.push({ fee, atMs })
    if (this.#fees.length > MAX_FEES) this.#fees.shift()
  }

  aboveSinceMs(fee: bigint): number | undefined {
    const last = this.#fees.findLastIndex((before) => before.fee <= fee)
    return this.#fees[last + 1]?.atMs
  }
}
