/** Nonces of one sender as runs without a hole, so that the end of a run is found without walking it. */
import { OrderedSet } from './ordered-set.ts'
import { compareBigints } from './pool-entry.ts'

interface NonceRun {
  readonly start: bigint
  /** The first that is missing behind it. */
  readonly end: bigint
}

export class NonceRuns {
  readonly #runs = new OrderedSet<NonceRun>((a, b) => compareBigints(a.start, b.start))

  /** It is not there yet. */
  add(nonce: bigint): void {
    const left = this.#at(nonce - 1n)
    const right = this.#at(nonce + 1n)
    if (left !== undefined) this.#runs.delete(left)
    if (right !== undefined) this.#runs.delete(right)
    this.#runs.add({ start: left?.start ?? nonce, end: right?.end ?? nonce + 1n })
  }

  /** It is there. */
  delete(nonce: bigint): void {
    const run = this.#at(nonce)!
    this.#runs.delete(run)
    if (run.start < nonce) this.#runs.add({ start: run.start, end: nonce })
    if (nonce + 1n < run.end) this.#runs.add({ start: nonce + 1n, end: run.end })
  }

  /** The first nonce from this one on that is missing. */
  firstMissing(from: bigint): bigint {
    return this.#at(from)?.end ?? from
  }

  #at(nonce: bigint): NonceRun | undefined {
    const run = this.#runs.floor({ start: nonce, end: nonce })
    return run !== undefined && nonce < run.end ? run : undefined
  }
}
