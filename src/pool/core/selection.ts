/**
 * Selects transactions for one block, best first and in nonce order per sender. The pool may change during the selection:
 * transactions that left are skipped, and no nonce of a sender is offered twice.
 */
import type { Address } from '#types/address.ts'
import { OrderedSet } from './ordered-set.ts'
import type { PoolCore } from './pool-core.ts'
import type { PoolEntry } from './pool-entry.ts'
import type { SenderQueue } from './sender-queue.ts'

/** `skip` excludes the entry and the sender's later ones from the block. `end` excludes all entries after it as well. */
export type GateVerdict = 'take' | 'skip' | 'end'

export type SelectionGate = (entry: PoolEntry, sender: SenderQueue) => GateVerdict

export class Selection {
  readonly #core: PoolCore
  readonly #baseFee: bigint
  readonly #admits: SelectionGate
  /** Nonce of each sender after its selected entries. */
  readonly #nextNonces: Map<Address, bigint>
  #isPassedOver = false

  /** With the `nextNonces` of an earlier selection it continues there. */
  constructor(
    core: PoolCore,
    baseFee: bigint,
    admits: SelectionGate,
    nextNonces: Map<Address, bigint> = new Map(),
  ) {
    this.#core = core
    this.#baseFee = baseFee
    this.#admits = admits
    this.#nextNonces = nextNonces
  }

  *entries(): Generator<PoolEntry, void, undefined> {
    const walk = this.#core.prices.walk()
    const seen = new Set(this.#nextNonces.keys())
    const compare = (a: PoolEntry, b: PoolEntry) => this.#core.prices.compare(a, b, this.#baseFee)
    /** The next entries of senders that were already selected. */
    const successors = new OrderedSet<PoolEntry>(compare)
    /** Entries that ran into a timeout before come last, when they cannot delay others. */
    const slow: PoolEntry[] = []
    for (const [sender, nonce] of this.#nextNonces) {
      const successor = this.#core.sender(sender)?.get(nonce)
      if (successor !== undefined) successors.add(successor)
    }
    let head = nextHead()
    for (;;) {
      let best = successors.first()
      if (best !== undefined && (head === undefined || compare(best, head) < 0)) {
        successors.delete(best)
      } else {
        best = head
        if (best === undefined) break
        seen.add(best.transaction.sender)
        head = nextHead()
      }
      const entry = this.#current(best)
      const verdict = entry === undefined ? 'skip' : this.#judge(entry)
      if (verdict === 'end') break
      if (entry === undefined || verdict === 'skip') continue
      if (entry.timeouts > 0) {
        slow.push(entry)
        continue
      }
      yield entry
      const successor = this.#successorOf(entry)
      if (successor !== undefined) successors.add(successor)
    }
    for (const entry of slow) {
      if (this.#core.get(entry.transaction.hash) !== entry) continue
      yield entry
      this.#successorOf(entry)
    }

    /** The next head of a sender not seen yet; a sender whose head moved meanwhile is not met twice. */
    function nextHead(): PoolEntry | undefined {
      let next = walk.next()
      while (next !== undefined && seen.has(next.transaction.sender)) next = walk.next()
      return next
    }
  }

  /** Reports that the last entry was not taken, which excludes the later ones of its sender. */
  passOver(): void {
    this.#isPassedOver = true
  }

  /** Lets a later selection begin at this nonce of a sender whose entry was refused after others were selected. */
  continueAt(sender: Address, nonce: bigint): void {
    this.#nextNonces.set(sender, nonce)
  }

  /** The entry, or its replacement. */
  #current({ transaction: { sender, nonce } }: PoolEntry): PoolEntry | undefined {
    return this.#core.sender(sender)?.get(nonce)
  }

  #judge(entry: PoolEntry): GateVerdict {
    const queue = this.#core.sender(entry.transaction.sender)
    return queue === undefined ? 'skip' : this.#admits(entry, queue)
  }

  #successorOf({ transaction: { sender, nonce } }: PoolEntry): PoolEntry | undefined {
    const isPassedOver = this.#isPassedOver
    this.#isPassedOver = false
    if (isPassedOver) return undefined
    this.#nextNonces.set(sender, nonce + 1n)
    return this.#core.sender(sender)?.get(nonce + 1n)
  }
}
