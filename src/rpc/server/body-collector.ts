import { constants } from 'node:buffer'
import { JsonScan } from '#rpc/dispatch/scan-json.ts'
import type { BodyBudget } from './body-budget.ts'
import { freeChunk } from './free-chunk.ts'

export type BodyRefusal =
  /** Over the limit for one body. */
  | 'too-large'
  /** Nesting or number of values over their limits, or not what its Content-Encoding says. */
  | 'malformed'
  /** All bodies together are over their limit: later there is room again. */
  | 'no-room'

/** What a body in several pieces gets for free: ordinary requests pass also while large ones take all there is. */
const FREE_BYTES = 128 * 1024
const STEP_BYTES = 1024 * 1024
const NOTHING = new Uint8Array(0)

/**
 * Gathers one body. The usual one arrives in one piece and is never copied. Others are gathered in memory that
 * grows in place and goes back to the system the moment it is freed: what malloc is given back it keeps, and a few
 * large bodies would leave a process that is hundreds of megabytes larger.
 */
export class BodyCollector {
  readonly #maxBytes: number
  readonly #budget: BodyBudget
  readonly #scan = new JsonScan()
  #onlyPiece: Uint8Array = NOTHING
  #memory: ArrayBuffer | undefined
  #length = 0
  #takenBytes = 0

  constructor(maxBytes: number, budget: BodyBudget) {
    // A longer text would be none that could be parsed.
    this.#maxBytes = Math.min(maxBytes, constants.MAX_STRING_LENGTH)
    this.#budget = budget
  }

  /** The chunk is the collector's from now on: it may be freed. */
  add(chunk: Uint8Array): BodyRefusal | null {
    const refusal = this.#add(chunk)
    if (this.#onlyPiece !== chunk) freeChunk(chunk)
    return refusal
  }

  #add(chunk: Uint8Array): BodyRefusal | null {
    const start = this.#length
    const length = start + chunk.length
    if (length > this.#maxBytes) return 'too-large'
    if (this.#scan.feed(chunk) !== undefined) return 'malformed'
    if (start === 0) this.#onlyPiece = chunk
    else if (!this.#append(chunk, start)) return 'no-room'
    this.#length = length
    return null
  }

  /** The whole body, until `free` or `release`. */
  get body(): Uint8Array {
    return this.#memory === undefined ? this.#onlyPiece : new Uint8Array(this.#memory, 0, this.#length)
  }

  /** The body was read. The budget remains taken, since what was made of it needs as much again. */
  free(): void {
    this.#memory?.transferToFixedLength(0)
    this.#memory = undefined
    this.#dropOnlyPiece()
  }

  /** The request is over. */
  release(): void {
    this.free()
    this.#budget.release(this.#takenBytes)
    this.#takenBytes = 0
  }

  #append(chunk: Uint8Array, start: number): boolean {
    const needed = start + chunk.length
    if (this.#memory === undefined || this.#memory.byteLength < needed) {
      const memory = this.#grow(needed)
      if (memory === undefined) return false
      if (this.#memory === undefined) {
        new Uint8Array(memory).set(this.#onlyPiece)
        this.#dropOnlyPiece()
      }
      this.#memory = memory
    }
    new Uint8Array(this.#memory).set(chunk, start)
    return true
  }

  #dropOnlyPiece(): void {
    freeChunk(this.#onlyPiece)
    this.#onlyPiece = NOTHING
  }

  #grow(needed: number): ArrayBuffer | undefined {
    const steps = needed <= FREE_BYTES ? FREE_BYTES : Math.ceil(needed / STEP_BYTES) * STEP_BYTES
    const capacity = Math.min(steps, this.#maxBytes)
    const countedBytes = Math.max(0, capacity - FREE_BYTES)
    if (!this.#budget.tryTake(countedBytes - this.#takenBytes)) return undefined
    this.#takenBytes = countedBytes
    try {
      const memory = this.#memory ?? new ArrayBuffer(0, { maxByteLength: this.#maxBytes })
      memory.resize(capacity)
      return memory
    } catch {
      // The system has no more.
      return undefined
    }
  }
}
