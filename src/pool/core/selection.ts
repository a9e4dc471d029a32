/**
 * Transactions for one block, best first and those of a sender in order of nonce. The pool may change between two of them:
 * what left is not given, and no nonce of a sender is given twice.
 */
import type { Address } from '#types/address.ts'
import { OrderedSet } from './ordered-set.ts'
import type { PoolCore } from './pool-core.ts'
import type { PoolEntry } from './pool-entry.ts'
import type { SenderQueue } from './sender-queue.ts'

/** `skip`: neither it nor any of its sender behind it can be in the block. `end`: nor can anything that comes later. */
export type GateVerdict = 'take' | 'skip' | 'end'

export type SelectionGate = (entry: PoolEntry, sender: SenderQueue) => GateVerdict

export class Selection {
  readonly #core: PoolCore
  readonly #baseFee: bigint
  readonly #admits: SelectionGate
  #isPassedOver = false

  constructor(core: PoolCore, baseFee: bigint, admits: SelectionGate) {
    this.#core = core
    this.#baseFee = baseFee
    this.#admits = admits
  }

  *entries(): Generator<PoolEntry, void, undefined> {
    const walk = this.#core.prices.walk()
    const seen = new Set<Address>()
    const compare = (a: PoolEntry, b: PoolEntry) => this.#core.prices.compare(a, b, this.#baseFee)
    /** The next of senders that have had one. */
    const successors = new OrderedSet<PoolEntry>(compare)
    /** For when there is nothing else: they harm nobody then. */
    const slow: PoolEntry[] = []
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
      if (this.#core.get(entry.transaction.hash) === entry) yield entry
    }

    /** Of a sender that has had none: one whose head moved meanwhile is not met twice. */
    function nextHead(): PoolEntry | undefined {
      let next = walk.next()
      while (next !== undefined && seen.has(next.transaction.sender)) next = walk.next()
      return next
    }
  }

  /** The one that was given last is not taken: none of its sender behind it can be. */
  passOver(): void {
    this.#isPassedOver = true
  }

  /** Itself, or what has replaced it meanwhile. */
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
    return isPassedOver ? undefined : this.#core.sender(sender)?.get(nonce + 1n)
  }
}
