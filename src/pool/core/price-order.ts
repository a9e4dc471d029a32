/**
 * Which transaction goes first: those with priority, then by what a gas of it pays the beneficiary, then by arrival. What it
 * pays depends on the base fee: its tip, or what is left of its highest fee, whichever is less. Those bound by their tip keep
 * their order at any base fee, and so do those bound by their fee. So there is an order for each, and a base fee that
 * moves concerns only those that pass from one to the other.
 */
import { OrderedSet } from './ordered-set.ts'
import { compareBigints, type PoolEntry } from './pool-entry.ts'

/** Goes on behind what it gave, whatever happened to the order meanwhile. */
export interface PriceWalk {
  next(): PoolEntry | undefined
}

export class PriceOrder {
  readonly #byTip = new OrderedSet<PoolEntry>(
    comparing(({ transaction }) => transaction.maxPriorityFeePerGas),
  )
  readonly #byFee = new OrderedSet<PoolEntry>(comparing(({ transaction }) => transaction.maxFeePerGas))
  /** The same entries by the base fee above which the fee binds them; of #byTip and of #byFee. */
  readonly #tipBounds = new OrderedSet<PoolEntry>(compareBounds)
  readonly #feeBounds = new OrderedSet<PoolEntry>(compareBounds)
  #baseFee = 0n

  /** undefined: blocks have none. */
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

  /** `from`: where it is, when that is not where it belongs. */
  delete(entry: PoolEntry, from: 'tip' | 'fee' = this.#isBoundByFee(entry) ? 'fee' : 'tip'): void {
    const [order, bounds] = from === 'fee' ? [this.#byFee, this.#feeBounds] : [this.#byTip, this.#tipBounds]
    order.delete(entry)
    bounds.delete(entry)
  }

  /** Below 0: no block of this base fee can hold it. */
  tipOf({ transaction: { maxFeePerGas, maxPriorityFeePerGas } }: PoolEntry, baseFee = this.#baseFee): bigint {
    const left = maxFeePerGas - baseFee
    return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas
  }

  /** Whether one goes before another: below 0. */
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
