/**
 * The order of transactions in blocks: priority first, then by the tip per gas, then by arrival. The tip depends on the base
 * fee: it is the priority fee or the rest of the maximum fee, whichever is lower. Transactions limited by their priority fee
 * keep their order at any base fee, and so do those limited by their maximum fee. So each group has its own order, and a new
 * base fee only moves transactions between the two groups.
 */
import { OrderedSet } from './ordered-set.ts'
import { compareBigints, type PoolEntry } from './pool-entry.ts'

/** A walk in price order that survives changes of the order. */
export interface PriceWalk {
  next(): PoolEntry | undefined
}

export class PriceOrder {
  readonly #byTip = new OrderedSet<PoolEntry>(
    comparing(({ transaction }) => transaction.maxPriorityFeePerGas),
  )
  readonly #byFee = new OrderedSet<PoolEntry>(comparing(({ transaction }) => transaction.maxFeePerGas))
  /** The same entries, sorted by the base fee above which the maximum fee limits them. */
  readonly #tipBounds = new OrderedSet<PoolEntry>(compareBounds)
  readonly #feeBounds = new OrderedSet<PoolEntry>(compareBounds)
  #baseFee = 0n

  /** Undefined if blocks have no base fee. */
  setBaseFee(baseFee: bigint | undefined): void {
    this.#baseFee = baseFee ?? 0n
    for (;;) {
      const lowest = this.#tipBounds.first()
      if (lowest === undefined || !this.#isBoundByFee(lowest)) break
      this.delete(lowest, 'tip')
      this.add(lowest)
    }
    for (;;) {
      const highest = this.#feeBounds.last()
      if (highest === undefined || this.#isBoundByFee(highest)) break
      this.delete(highest, 'fee')
      this.add(highest)
    }
  }

  add(entry: PoolEntry): void {
    const isBoundByFee = this.#isBoundByFee(entry)
    const [order, bounds] = isBoundByFee ? [this.#byFee, this.#feeBounds] : [this.#byTip, this.#tipBounds]
    order.add(entry)
    bounds.add(entry)
  }

  /** `from` is the order that holds the entry while that differs from where it belongs. */
  delete(entry: PoolEntry, from: 'tip' | 'fee' = this.#isBoundByFee(entry) ? 'fee' : 'tip'): void {
    const [order, bounds] = from === 'fee' ? [this.#byFee, this.#feeBounds] : [this.#byTip, this.#tipBounds]
    order.delete(entry)
    bounds.delete(entry)
  }

  /** The tip per gas; negative if no block with this base fee can include the entry. */
  tipOf({ transaction: { maxFeePerGas, maxPriorityFeePerGas } }: PoolEntry, baseFee = this.#baseFee): bigint {
    const left = maxFeePerGas - baseFee
    return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas
  }

  /** Negative if `a` goes before `b`. */
  compare(a: PoolEntry, b: PoolEntry, baseFee = this.#baseFee): number {
    if (a.hasPriority !== b.hasPriority) return a.hasPriority ? -1 : 1
    return compareBigints(this.tipOf(b, baseFee), this.tipOf(a, baseFee)) || a.arrival - b.arrival
  }

  walk(): PriceWalk {
    let [lastByTip, lastByFee]: [PoolEntry | undefined, PoolEntry | undefined] = [undefined, undefined]
    return {
      next: () => {
        const byTip = this.#byTip.after(lastByTip)
        const byFee = this.#byFee.after(lastByFee)
        if (byTip !== undefined && (byFee === undefined || this.compare(byTip, byFee) < 0)) {
          lastByTip = byTip
          return byTip
        }
        if (byFee !== undefined) lastByFee = byFee
        return byFee
      },
    }
  }

  #isBoundByFee(entry: PoolEntry): boolean {
    return boundOf(entry) < this.#baseFee
  }
}

function boundOf({ transaction: { maxFeePerGas, maxPriorityFeePerGas } }: PoolEntry): bigint {
  return maxFeePerGas - maxPriorityFeePerGas
}

function comparing(price: (entry: PoolEntry) => bigint): (a: PoolEntry, b: PoolEntry) => number {
  return (a, b) => {
    if (a.hasPriority !== b.hasPriority) return a.hasPriority ? -1 : 1
    return compareBigints(price(b), price(a)) || a.arrival - b.arrival
  }
}

function compareBounds(a: PoolEntry, b: PoolEntry): number {
  return compareBigints(boundOf(a), boundOf(b)) || a.arrival - b.arrival
}
