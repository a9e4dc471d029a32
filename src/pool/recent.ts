/** What the pool remembers of transactions that came and went, within bounds. */
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Hash } from '#types/hash.ts'
import type {
  DropReason,
  PoolDrop,
  SubmittedTransaction,
  TransactionOrigin,
} from './submitted-transaction.ts'

/** One that left the pool. */
export interface RememberedDrop {
  readonly reason: DropReason
  readonly sentence: string
  /** By the clock on the wall. */
  readonly atMs: number
}

const MAX_DROPS = 16_384

export class RecentDrops {
  readonly #drops = new BoundedMap<Hash, RememberedDrop>(MAX_DROPS)

  add({ transaction: { hash }, reason, sentence }: PoolDrop, atMs: number): void {
    this.#drops.set(hash, { reason, sentence, atMs })
  }

  get(hash: Hash): RememberedDrop | undefined {
    return this.#drops.get(hash)
  }
}

/** Longer branches than hold so many leave the chain hardly ever; what was forgotten comes back as if from a peer. */
const MAX_LOCALS = 16_384

interface OriginRun {
  readonly origin: TransactionOrigin
  readonly run: readonly SubmittedTransaction[]
}

/** Which of the transactions that blocks took were sent to this node. */
export class RecentLocals {
  readonly #hashes = new BoundedMap<Hash, true>(MAX_LOCALS)

  add(hash: Hash): void {
    this.#hashes.set(hash, true)
  }

  /** In their order: a nonce that comes before the one below it may be too far ahead. */
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

/** A filter that is asked less often than so many come hears of the last ones only. */
const MAX_ADDITIONS = 65_536

/** Hashes by the number of their coming, for filters. */
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

  /** Those that came after the first `from`, up to `to` in all. */
  between(from: number, to: number): Hash[] {
    const upTo = Math.min(to, this.#count)
    const first = Math.max(from, this.#count - MAX_ADDITIONS)
    const hashes: Hash[] = []
    for (let at = first; at < upTo; at++) hashes.push(this.#hashes[at % MAX_ADDITIONS]!)
    return hashes
  }
}

/** When base fees changed, for since when a price has been too low. */
const MAX_FEES = 1_024

export class RecentBaseFees {
  /** The latest last. */
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
