import { JsonScan } from '#rpc/scan-json.ts'
import type { BodyBudget } from './body-budget.ts'

export type BodyRefusal =
  /** Over the limit for one body. */
  | 'too-large'
  /** Nesting or number of values over their limits, or not what its Content-Encoding says. */
  | 'malformed'
  /** All bodies together are over their limit: later there is room again. */
  | 'no-room'

/**
 * The first allocation for a body in several pieces, free for everybody: ordinary requests pass also while large
 * ones take all of the budget. Then its size doubles.
 */
const FIRST_CAPACITY_BYTES = 128 * 1024
/** Whoever has sent this much is believed how much is to come, which spares the copies of doubling. */
const BELIEVED_FROM_BYTES = 16 * 1024 * 1024

const NOTHING: Uint8Array = new Uint8Array(0)

/** Gathers one body. The usual one arrives in one piece and is never copied. */
export class BodyCollector {
  readonly #maxBytes: number
  readonly #announcedBytes: number
  readonly #budget: BodyBudget
  readonly #scan = new JsonScan()
  #bytes = NOTHING
  #length = 0
  #capacity = 0

  /** `announcedBytes`: the Content-Length, or 0 where it says nothing about the body's size. */
  constructor(maxBytes: number, budget: BodyBudget, announcedBytes = 0) {
    this.#maxBytes = maxBytes
    this.#announcedBytes = announcedBytes
    this.#budget = budget
  }

  add(chunk: Uint8Array): BodyRefusal | null {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return 'too-large'
    if (this.#scan.feed(chunk) !== undefined) return 'malformed'
    if (this.#length === 0) {
      this.#bytes = chunk
      this.#length = length
      return null
    }
    if (length > this.#capacity && !this.#grow(length)) return 'no-room'
    this.#bytes.set(chunk, this.#length)
    this.#length = length
    return null
  }

  /** The whole body, until `release`. */
  get body(): Uint8Array {
    return this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length)
  }

  /** The request is over. Frees the memory at once: garbage collection may come much later. */
  release(): void {
    if (this.#capacity === 0) return
    ;(this.#bytes.buffer as ArrayBuffer).transfer(0)
    this.#budget.release(this.#capacity - FIRST_CAPACITY_BYTES)
    this.#capacity = 0
  }

  #grow(needed: number): boolean {
    const isFirst = this.#capacity === 0
    const capacity = this.#nextCapacity(needed)
    if (!this.#budget.tryTake(capacity - (isFirst ? FIRST_CAPACITY_BYTES : this.#capacity))) return false
    // The first piece belongs to the socket's read buffer and is copied; our own buffer is moved, which frees
    // the old memory at once.
    const memory = isFirst
      ? new ArrayBuffer(capacity)
      : (this.#bytes.buffer as ArrayBuffer).transfer(capacity)
    const grown = new Uint8Array(memory)
    if (isFirst) grown.set(this.#bytes)
    this.#bytes = grown
    this.#capacity = capacity
    return true
  }

  #nextCapacity(needed: number): number {
    let capacity = Math.max(FIRST_CAPACITY_BYTES, this.#capacity)
    while (capacity < needed) capacity *= 2
    if (capacity >= BELIEVED_FROM_BYTES && this.#announcedBytes >= needed) return this.#announcedBytes
    return Math.max(FIRST_CAPACITY_BYTES, Math.min(capacity, this.#maxBytes))
  }
}
