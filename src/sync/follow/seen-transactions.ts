import type { Clock } from '#platform/clock.ts'
import { KnownHashes } from '#sync/peers/known-hashes.ts'
import type { Hash } from '#types/hash.ts'

/** Maximum hashes of each kind. */
const MAX_HASHES = 65_536
/** The pool may have dropped a transaction that it accepted this long ago. */
const KEPT_MS = 300_000

/**
 * Recently received transactions, which need not be fetched again. The pool's verdict may change with the chain, so a refused
 * transaction counts as seen only until the head moves, and an accepted one for some minutes.
 */
export class SeenTransactions {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #recent = new KnownHashes(MAX_HASHES)
  #older = new KnownHashes(MAX_HASHES)
  #refused = new KnownHashes(MAX_HASHES)
  #sinceMs: number

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
    this.#sinceMs = clock.monotonicMs()
  }

  has(hash: Hash): boolean {
    this.#age()
    return this.#recent.has(hash) || this.#older.has(hash) || this.#refused.has(hash)
  }

  /** Returns false if the transaction was already seen. */
  add(hash: Hash): boolean {
    this.#age()
    return !this.#older.has(hash) && this.#recent.add(hash)
  }

  /** The pool refused the transaction. */
  refuse(hash: Hash): void {
    this.forget(hash)
    this.#refused.add(hash)
  }

  /** The pool gave no verdict. */
  forget(hash: Hash): void {
    this.#recent.delete(hash)
    this.#older.delete(hash)
  }

  headMoved(): void {
    this.#refused = new KnownHashes(MAX_HASHES)
  }

  #age(): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#sinceMs < KEPT_MS) return
    this.#sinceMs = nowMs
    this.#older = this.#recent
    this.#recent = new KnownHashes(MAX_HASHES)
  }
}
