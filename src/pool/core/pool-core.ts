/**
 * The transactions of the pool and their orders, without clock, chain or listener: who calls says what the accounts are. Each
 * operation costs the logarithm of what is inside for each transaction that it touches (npm run bench -- pool-core).
 */
import { type Rejection, reject, type SubmittedTransaction } from '#pool/submitted-transaction.ts'
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
  /** How far behind the pending ones of its sender a nonce may be. */
  readonly maxGap: number
  /** How far above the nonce of the account a nonce may be; undefined: as far as the pool has place. */
  readonly maxBySender: number | undefined
}

export type Insertion =
  | {
      readonly ok: true
      readonly replaced: PoolEntry | undefined
      /** To make room. */
      readonly evicted: readonly PoolEntry[]
    }
  | Rejection

/** The last of a sender, which is the first of that sender to make room. */
interface Tail {
  readonly entry: PoolEntry
  readonly isQueued: boolean
}

interface Evicted {
  /** Which the pool may not know any more. */
  readonly sender: SenderQueue
  readonly entry: PoolEntry
}

export class PoolCore {
  readonly prices = new PriceOrder()
  readonly #limits: PoolLimits
  readonly #byHash = new Map<Hash, PoolEntry>()
  readonly #senders = new Map<Address, SenderQueue>()
  readonly #byArrival = new OrderedSet<Pick<PoolEntry, 'arrival'>>((a, b) => a.arrival - b.arrival)
  /** The first to make room first. */
  readonly #tails = new OrderedSet<Tail>(compareTails)
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

  /** Only of those who have something in the pool. */
  sender(address: Address): SenderQueue | undefined {
    return this.#senders.get(address)
  }

  senders(): Iterable<SenderQueue> {
    return this.#senders.values()
  }

  /** In the order of arrival, from one on. The pool may change meanwhile. */
  *entries(fromArrival = 0): Generator<PoolEntry, void, undefined> {
    let entry = this.#byArrival.after({ arrival: fromArrival - 1 })
    while (entry !== undefined) {
      yield entry as PoolEntry
      entry = this.#byArrival.after(entry)
    }
  }

  /** `account` is that of the sender; where the pool knows the sender it is the one it knows. */
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
    // Those that made room in vain, and the one it was to replace, stay.
    for (const other of evicted) if (other.entry !== entry) this.#putBack(other)
    if (replaced !== undefined) this.#putBack({ sender, entry: replaced })
    return reject(
      'POOL_FULL',
      `The pool is full, and this transaction pays no more than those in it: send it again later, or with a higher price than ${transaction.maxFeePerGas} wei per gas.`,
    )
  }

  remove(entry: PoolEntry): void {
    const sender = this.#senders.get(entry.transaction.sender)
    assert(sender !== undefined, 'Whoever has something in the pool is known to it.')
    this.#change(sender, () => this.#forget(sender, entry))
  }

  /** The chain moved. Gives those whose nonce is used, which are out; of a sender that the pool does not know, none. */
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
    assert(nonce >= sender.account.nonce, 'Who admits has compared the nonces.')
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

  #makeRoom(): Evicted[] {
    const evicted: Evicted[] = []
    const { maxCount, maxBytes } = this.#limits
    while (this.#byHash.size > maxCount || this.#bytes > maxBytes) {
      const { entry } = this.#tails.first()!
      const sender = this.#senders.get(entry.transaction.sender)!
      this.remove(entry)
      evicted.push({ sender, entry })
    }
    return evicted
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
  }

  #forget(sender: SenderQueue, entry: PoolEntry): void {
    sender.delete(entry)
    this.#byHash.delete(entry.transaction.hash)
    this.#byArrival.delete(entry)
    this.#bytes -= bytesOf(entry)
    if (entry.origin === 'local') this.#local--
  }

  /** Takes the sender out of the orders that depend on what changes, and puts it back to where it belongs then. */
  #change(sender: SenderQueue, change: () => void): void {
    this.#leaveOrders(sender)
    change()
    this.#joinOrders(sender)
  }

  #leaveOrders(sender: SenderQueue): void {
    const { head, tail } = sender
    if (tail === undefined) return
    if (head !== undefined) this.prices.delete(head)
    this.#tails.delete(tailOf(sender, tail))
    this.#pending -= sender.pendingCount
  }

  #joinOrders(sender: SenderQueue): void {
    const { address, head, tail } = sender
    if (tail === undefined) {
      this.#senders.delete(address)
      return
    }
    this.#senders.set(address, sender)
    if (head !== undefined) this.prices.add(head)
    this.#tails.add(tailOf(sender, tail))
    this.#pending += sender.pendingCount
  }
}

function entryOf({ entry }: Evicted): PoolEntry {
  return entry
}

function tailOf({ nextNonce }: SenderQueue, entry: PoolEntry): Tail {
  return { entry, isQueued: entry.transaction.nonce >= nextNonce }
}

/** Those without priority, then those that cannot be executed, then those that offer less, then those that came last. */
function compareTails(a: Tail, b: Tail): number {
  if (a.entry.hasPriority !== b.entry.hasPriority) return a.entry.hasPriority ? 1 : -1
  if (a.isQueued !== b.isQueued) return a.isQueued ? -1 : 1
  const { transaction: first } = a.entry
  const { transaction: second } = b.entry
  return compareBigints(first.maxFeePerGas, second.maxFeePerGas) || b.entry.arrival - a.entry.arrival
}
