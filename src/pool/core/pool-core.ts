/**
 * The transactions of the pool and their orders, without clock, chain or listeners: the caller provides the accounts. Each
 * operation costs O(log n) per transaction it touches (npm run bench -- pool-core).
 */
import {
  type Rejection,
  reject,
  type SubmittedBlobs,
  type SubmittedTransaction,
} from '#pool/submitted-transaction.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import { OrderedSet } from './ordered-set.ts'
import { bytesOf, compareBigints, type PoolEntry } from './pool-entry.ts'
import { PriceOrder } from './price-order.ts'
import { isUnderpriced, type PriceBumps } from './replacement.ts'
import { type SenderAccount, SenderQueue } from './sender-queue.ts'

export interface PoolLimits extends PriceBumps {
  readonly maxCount: number
  readonly maxBytes: number
  /** Maximum distance of a nonce from the sender's pending transactions. */
  readonly maxGap: number
  /** Maximum distance of a nonce from the account's nonce; unlimited if undefined. */
  readonly maxBySender: number | undefined
}

/** Blobs use at most this part of the pool's bytes, so they do not displace other transactions. */
const BLOB_DIVISOR = 2
/** Maximum transactions with blobs of one sender; geth uses the same number. */
const MAX_BLOB_TRANSACTIONS = 16

export type Insertion =
  | {
      readonly ok: true
      readonly replaced: PoolEntry | undefined
      /** Entries evicted to make room. */
      readonly evicted: readonly PoolEntry[]
    }
  | Rejection

/** A sender's entry with the highest nonce, which is evicted before the others. */
interface Tail {
  readonly entry: PoolEntry
  readonly isQueued: boolean
}

interface Evicted {
  /** The pool may have forgotten this sender. */
  readonly sender: SenderQueue
  readonly entry: PoolEntry
}

export class PoolCore {
  readonly prices = new PriceOrder()
  readonly #limits: PoolLimits
  readonly #byHash = new Map<Hash, PoolEntry>()
  readonly #senders = new Map<Address, SenderQueue>()
  readonly #byArrival = new OrderedSet<Pick<PoolEntry, 'arrival'>>((a, b) => a.arrival - b.arrival)
  /** The next entry to evict comes first. */
  readonly #tails = new OrderedSet<Tail>(compareTails)
  /** The tails that have blobs. */
  readonly #blobTails = new OrderedSet<Tail>(compareTails)
  readonly #withBlobs = new Set<PoolEntry>()
  #blobBytes = 0
  #bytes = 0
  #pending = 0
  #local = 0

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#byHash.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get pendingCount(): number {
    return this.#pending
  }

  get localCount(): number {
    return this.#local
  }

  get senderCount(): number {
    return this.#senders.size
  }

  get(hash: Hash): PoolEntry | undefined {
    return this.#byHash.get(hash)
  }

  withBlobs(): Iterable<PoolEntry> {
    return this.#withBlobs
  }

  /** Returns undefined if the sender has no transaction in the pool. */
  sender(address: Address): SenderQueue | undefined {
    return this.#senders.get(address)
  }

  senders(): Iterable<SenderQueue> {
    return this.#senders.values()
  }

  /** Entries in order of arrival. The pool may change during the walk. */
  *entries(fromArrival = 0): Generator<PoolEntry, void, undefined> {
    let entry = this.#byArrival.after({ arrival: fromArrival - 1 })
    while (entry !== undefined) {
      yield entry as PoolEntry
      entry = this.#byArrival.after(entry)
    }
  }

  /** `account` is used only for a sender that the pool does not know yet. */
  insert(entry: PoolEntry, account: SenderAccount): Insertion {
    const { transaction } = entry
    const { sender: address, nonce } = transaction
    assert(!this.#byHash.has(transaction.hash), 'A transaction is in the pool once.')
    const sender = this.#senders.get(address) ?? new SenderQueue(address, account)
    const replaced = sender.get(nonce)
    const rejection = this.#judge(sender, transaction, replaced)
    if (rejection !== undefined) return rejection
    this.#change(sender, () => {
      if (replaced !== undefined) this.#forget(sender, replaced)
      this.#remember(sender, entry)
    })
    const evicted = this.#makeRoom()
    if (this.#byHash.has(transaction.hash)) return { ok: true, replaced, evicted: evicted.map(entryOf) }
    // The new transaction was evicted itself, so the replaced and the other evicted ones return.
    for (const other of evicted) if (other.entry !== entry) this.#putBack(other)
    if (replaced !== undefined) this.#putBack({ sender, entry: replaced })
    return reject(
      'POOL_FULL',
      `The pool is full, and this transaction pays no more than those in it: send it again later, or with a higher price than ${transaction.maxFeePerGas} wei per gas.`,
    )
  }

  remove(entry: PoolEntry): void {
    const sender = this.#senders.get(entry.transaction.sender)
    assert(sender !== undefined, 'The pool knows every sender of its transactions.')
    this.#change(sender, () => this.#forget(sender, entry))
  }

  /** Sets the account after a head change. Removes and returns the entries whose nonce is used; empty for an unknown sender. */
  setAccount(address: Address, account: SenderAccount): readonly PoolEntry[] {
    const sender = this.#senders.get(address)
    if (sender === undefined) return []
    const outdated: PoolEntry[] = []
    this.#change(sender, () => {
      sender.account = account
      for (let entry = sender.outdated; entry !== undefined; entry = sender.outdated) {
        this.#forget(sender, entry)
        outdated.push(entry)
      }
    })
    return outdated
  }

  #judge(
    sender: SenderQueue,
    transaction: SubmittedTransaction,
    replaced: PoolEntry | undefined,
  ): Rejection | undefined {
    const { nonce } = transaction
    const { maxGap, maxBySender, maxBytes } = this.#limits
    assert(nonce >= sender.account.nonce, 'The nonces were compared at admission.')
    const tooMany = transaction.blobs && this.#judgeBlobs(sender, transaction.blobs, replaced)
    if (tooMany !== undefined) return tooMany
    if (replaced !== undefined) return isUnderpriced(transaction, replaced.transaction, this.#limits)
    const tooFar = (most: bigint): Rejection =>
      reject(
        'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
        `The nonce ${nonce} is too far from the ${sender.account.nonce} of the account: the pool takes nonces below ${most} of this sender now. Send those before it first.`,
      )
    const ofGap = sender.nextNonce + BigInt(maxGap)
    if (nonce !== sender.nextNonce && nonce >= ofGap) return tooFar(ofGap)
    if (maxBySender !== undefined && nonce >= sender.account.nonce + BigInt(maxBySender)) {
      return tooFar(sender.account.nonce + BigInt(maxBySender))
    }
    if (transaction.encoded.length > maxBytes) {
      return reject('POOL_FULL', `The transaction has more bytes than the pool, which holds ${maxBytes}.`)
    }
    return undefined
  }

  #judgeBlobs(
    { blobCount }: SenderQueue,
    { encoded }: SubmittedBlobs,
    replaced: PoolEntry | undefined,
  ): Rejection | undefined {
    if (encoded.length > this.#maxBlobBytes) {
      const sentence = `The blobs have more bytes than the pool keeps for them, which is ${this.#maxBlobBytes}.`
      return reject('POOL_FULL', sentence)
    }
    if (replaced !== undefined || blobCount < MAX_BLOB_TRANSACTIONS) return undefined
    const sentence = `The pool has ${blobCount} transactions with blobs of this sender, and takes no more: send this one again later.`
    return reject('POOL_FULL', sentence)
  }

  get #maxBlobBytes(): number {
    return Math.floor(this.#limits.maxBytes / BLOB_DIVISOR)
  }

  #makeRoom(): Evicted[] {
    const evicted: Evicted[] = []
    for (let next = this.#toEvict; next !== undefined; next = this.#toEvict) {
      const { entry } = next
      const sender = this.#senders.get(entry.transaction.sender)!
      this.remove(entry)
      evicted.push({ sender, entry })
    }
    return evicted
  }

  /** Blobs below other transactions of their sender stay: the limit of all bytes still holds. */
  get #toEvict(): Tail | undefined {
    const { maxCount, maxBytes } = this.#limits
    if (this.#byHash.size > maxCount || this.#bytes > maxBytes) return this.#tails.first()
    return this.#blobBytes > this.#maxBlobBytes ? this.#blobTails.first() : undefined
  }

  #putBack({ sender, entry }: Evicted): void {
    this.#change(sender, () => this.#remember(sender, entry))
  }

  #remember(sender: SenderQueue, entry: PoolEntry): void {
    sender.add(entry)
    this.#byHash.set(entry.transaction.hash, entry)
    this.#byArrival.add(entry)
    this.#bytes += bytesOf(entry)
    if (entry.origin === 'local') this.#local++
    if (entry.transaction.blobs === undefined) return
    this.#withBlobs.add(entry)
    this.#blobBytes += bytesOf(entry)
  }

  #forget(sender: SenderQueue, entry: PoolEntry): void {
    sender.delete(entry)
    this.#byHash.delete(entry.transaction.hash)
    this.#byArrival.delete(entry)
    this.#bytes -= bytesOf(entry)
    if (entry.origin === 'local') this.#local--
    if (this.#withBlobs.delete(entry)) this.#blobBytes -= bytesOf(entry)
  }

  /**
   * Applies the change and moves the sender in the orders that depend on its entries. Most transactions follow others of
   * their sender and leave its head in place.
   */
  #change(sender: SenderQueue, change: () => void): void {
    const { head, pendingCount } = sender
    const tail = tailOf(sender)
    change()
    const [newHead, newTail] = [sender.head, tailOf(sender)]
    if (newHead !== head) {
      if (head !== undefined) this.prices.delete(head)
      if (newHead !== undefined) this.prices.add(newHead)
    }
    if (newTail?.entry !== tail?.entry || newTail?.isQueued !== tail?.isQueued) {
      for (const tails of this.#tailsFor(tail)) tails.delete(tail!)
      for (const tails of this.#tailsFor(newTail)) tails.add(newTail!)
    }
    this.#pending += sender.pendingCount - pendingCount
    if (newTail === undefined) this.#senders.delete(sender.address)
    else if (tail === undefined) this.#senders.set(sender.address, sender)
  }

  #tailsFor(tail: Tail | undefined): readonly OrderedSet<Tail>[] {
    if (tail === undefined) return []
    return tail.entry.transaction.blobs === undefined ? [this.#tails] : [this.#tails, this.#blobTails]
  }
}

function entryOf({ entry }: Evicted): PoolEntry {
  return entry
}

/** Undefined if the sender has no entries. */
function tailOf({ nextNonce, tail }: SenderQueue): Tail | undefined {
  return tail && { entry: tail, isQueued: tail.transaction.nonce >= nextNonce }
}

/** Entries without priority are evicted first, then queued ones, then those that offer less, then the latest. */
function compareTails(a: Tail, b: Tail): number {
  if (a.entry.hasPriority !== b.entry.hasPriority) return a.entry.hasPriority ? 1 : -1
  if (a.isQueued !== b.isQueued) return a.isQueued ? -1 : 1
  const { transaction: first } = a.entry
  const { transaction: second } = b.entry
  return compareBigints(first.maxFeePerGas, second.maxFeePerGas) || b.entry.arrival - a.entry.arrival
}
