/** One sender's transactions by nonce, and its account as the pool knows it. */
import type { Address } from '#types/address.ts'
import { OrderedSet } from './ordered-set.ts'
import { compareBigints, type PoolEntry } from './pool-entry.ts'

/** An account in the state after the head. */
export interface SenderAccount {
  readonly nonce: bigint
  readonly balance: bigint
  /** True if the account has code other than a delegation, so it cannot send. */
  readonly hasCode: boolean
}

export class SenderQueue {
  readonly address: Address
  account: SenderAccount
  readonly #byNonce = new Map<bigint, PoolEntry>()
  readonly #inOrder = new OrderedSet<PoolEntry>((a, b) =>
    compareBigints(a.transaction.nonce, b.transaction.nonce),
  )
  readonly #runs = new NonceRuns()
  #blobCount = 0

  constructor(address: Address, account: SenderAccount) {
    this.address = address
    this.account = account
  }

  get size(): number {
    return this.#byNonce.size
  }

  /** Number of transactions with blobs. */
  get blobCount(): number {
    return this.#blobCount
  }

  /** The nonce after the pending transactions; entries from it on are queued. */
  get nextNonce(): bigint {
    return this.#runs.firstMissing(this.account.nonce)
  }

  get pendingCount(): number {
    return Number(this.nextNonce - this.account.nonce)
  }

  /** The transaction that is executable now. */
  get head(): PoolEntry | undefined {
    return this.#byNonce.get(this.account.nonce)
  }

  /** The transaction with the highest nonce. */
  get tail(): PoolEntry | undefined {
    return this.#inOrder.last()
  }

  get(nonce: bigint): PoolEntry | undefined {
    return this.#byNonce.get(nonce)
  }

  /** The queue must not contain the nonce yet. */
  add(entry: PoolEntry): void {
    const { nonce } = entry.transaction
    this.#byNonce.set(nonce, entry)
    this.#inOrder.add(entry)
    this.#runs.add(nonce)
    if (entry.transaction.blobs !== undefined) this.#blobCount++
  }

  delete(entry: PoolEntry): void {
    const { nonce } = entry.transaction
    this.#byNonce.delete(nonce)
    this.#inOrder.delete(entry)
    this.#runs.delete(nonce)
    if (entry.transaction.blobs !== undefined) this.#blobCount--
  }

  /** The lowest entry if its nonce is below the account's. */
  get outdated(): PoolEntry | undefined {
    const lowest = this.#inOrder.first()
    return lowest !== undefined && lowest.transaction.nonce < this.account.nonce ? lowest : undefined
  }

  /** Entries by rising nonce. */
  *entries(fromNonce: bigint): Generator<PoolEntry, void, undefined> {
    const first = this.#byNonce.get(fromNonce)
    let entry = first ?? this.#after(fromNonce)
    while (entry !== undefined) {
      yield entry
      entry = this.#after(entry.transaction.nonce)
    }
  }

  #after(nonce: bigint): PoolEntry | undefined {
    return this.#inOrder.after({ transaction: { nonce } } as PoolEntry)
  }
}

interface NonceRun {
  readonly start: bigint
  /** The first missing nonce after the run. */
  readonly end: bigint
}

/** One sender's nonces as runs without gaps, so the end of a run is found without walking it. */
class NonceRuns {
  readonly #runs = new OrderedSet<NonceRun>((a, b) => compareBigints(a.start, b.start))

  /** The nonce must be missing. */
  add(nonce: bigint): void {
    const left = this.#at(nonce - 1n)
    const right = this.#at(nonce + 1n)
    if (left !== undefined) this.#runs.delete(left)
    if (right !== undefined) this.#runs.delete(right)
    this.#runs.add({ start: left?.start ?? nonce, end: right?.end ?? nonce + 1n })
  }

  /** The nonce must be present. */
  delete(nonce: bigint): void {
    const run = this.#at(nonce)!
    this.#runs.delete(run)
    if (run.start < nonce) this.#runs.add({ start: run.start, end: nonce })
    if (nonce + 1n < run.end) this.#runs.add({ start: nonce + 1n, end: run.end })
  }

  /** The first missing nonce from this one on. */
  firstMissing(from: bigint): bigint {
    return this.#at(from)?.end ?? from
  }

  #at(nonce: bigint): NonceRun | undefined {
    const run = this.#runs.floor({ start: nonce, end: nonce })
    return run !== undefined && nonce < run.end ? run : undefined
  }
}
