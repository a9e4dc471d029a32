import { constants } from 'node:buffer'
import { JsonScan } from '#jsonrpc/dispatch/scan-json.ts'

/** Memory that large bodies share besides the size of one, so that many cannot each take the limit. */
const SHARED_BYTES = 8 * 1024 * 1024

export class BodyBudget {
  readonly #maxBytes: number
  #takenBytes = 0

  constructor(bodyMaxBytes: number, sharedBytes = SHARED_BYTES) {
    this.#maxBytes = bodyMaxBytes + sharedBytes
  }

  tryTake(bytes: number): boolean {
    if (this.#takenBytes + bytes > this.#maxBytes) return false
    this.#takenBytes += bytes
    return true
  }

  /** Also grants more than is left if the holder of `ownBytes` is the only holder. */
  tryTakeAlone(bytes: number, ownBytes: number): boolean {
    if (this.#takenBytes !== ownBytes) return this.tryTake(bytes)
    this.#takenBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#takenBytes -= bytes
  }

  get takenBytes(): number {
    return this.#takenBytes
  }
}

export type BodyRefusal =
  | 'too-large'
  /** Too deep, too many values, or not as its Content-Encoding says. */
  | 'malformed'
  /** All bodies together are over their limit. */
  | 'no-room'

/** Free for a body in several pieces, so ordinary requests pass while large ones use the budget. */
const FREE_BYTES = 128 * 1024
const STEP_BYTES = 1024 * 1024
const NOTHING = new Uint8Array(0)

/**
 * Collects one body. The usual body arrives in one piece and is never copied. Others are collected in memory that
 * grows in place and returns to the system when freed: malloc keeps freed memory, and a few large bodies would leave
 * the process hundreds of megabytes larger.
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
    // A longer text could not be parsed.
    this.#maxBytes = Math.min(maxBytes, constants.MAX_STRING_LENGTH)
    this.#budget = budget
  }

  /** Takes ownership of the chunk and may free it. */
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

  /** Valid until `free` or `release`. */
  get body(): Uint8Array {
    return this.#memory === undefined ? this.#onlyPiece : new Uint8Array(this.#memory, 0, this.#length)
  }

  /** Frees the bytes. The budget remains taken, since the parsed values need as much again. */
  free(): void {
    this.#memory?.transferToFixedLength(0)
    this.#memory = undefined
    this.#dropOnlyPiece()
  }

  /** Called when the request is over. */
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
      // The system is out of memory.
      return undefined
    }
  }
}

/** For less, the garbage collector is cheaper. */
const FREED_FROM_BYTES = 4 * 1024

/** Frees bytes that are no longer read, since V8 lets dead buffers accumulate up to 64 MB. */
export function freeChunk(chunk: Uint8Array): void {
  if (chunk.length >= FREED_FROM_BYTES && chunk.length === chunk.buffer.byteLength) {
    ;(chunk.buffer as ArrayBuffer).transfer(0)
  }
}
