/** Numbers up to 2^53 in 7 bits per byte, low ones first. Decoding trusts nothing. */
import { corruptFault } from '#store/faults.ts'

const MAX_VARINT_BYTES = 8

/** Writes at `at` and returns the end. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value
  let end = at
  while (rest >= 0x80) {
    bytes[end++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[end++] = rest
  return end
}

export class ValueReader {
  at = 0
  readonly bytes: Uint8Array
  readonly #damaged: (what: string) => Error

  /** `damaged` makes the error; damage to the database stops the node. */
  constructor(bytes: Uint8Array, damaged: (what: string) => Error = corruptFault) {
    this.bytes = bytes
    this.#damaged = damaged
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  byte(): number {
    if (this.at >= this.bytes.length) throw this.#damaged('a value is cut off')
    return this.bytes[this.at++]!
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) {
        if (byte === 0 && count > 0) throw this.#damaged('a number has more bytes than it needs')
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      factor *= 0x80
    }
    throw this.#damaged('a number is too large')
  }

  /** Returns a view. */
  take(length: number): Uint8Array {
    if (length > this.left) throw this.#damaged('a value is cut off')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  rest(): Uint8Array {
    return this.take(this.left)
  }
}

export class ValueWriter {
  #bytes: Buffer
  #length = 0

  constructor(initialBytes = 256) {
    this.#bytes = Buffer.allocUnsafe(initialBytes)
  }

  varint(value: number): void {
    this.#reserve(MAX_VARINT_BYTES)
    this.#length = writeVarint(this.#bytes, this.#length, value)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Returns a view, valid until the writer is used again. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}
