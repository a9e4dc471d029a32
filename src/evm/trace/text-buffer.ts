/**
 * JSON text under construction, as bytes. A step has a dozen short parts, and joining strings would take most of the
 * time.
 */
import { formatDigits } from '#types/hex.ts'
import type { Gas } from './trace-visitor.ts'

const FIRST_BYTES = 4 * 1024
/** Capacity beyond this, needed by one long part, is released. */
const KEPT_BYTES = 256 * 1024
/** Below this a loop is faster than a copy call. */
const SHORT_BYTES = 96
/** Integers below this are printed by cheap arithmetic. */
const SMALL_NUMBER = 2 ** 31
const ZERO = 0x30
/** Lower-case hexadecimal. */
export const DIGITS: Uint8Array = ascii('0123456789abcdef')

/** Single-byte characters. */
export function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

export class TextBuffer {
  length = 0
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES)

  /** Appends single-byte characters: digits, names and punctuation. */
  text(part: string): void {
    const at = this.#grow(part.length)
    if (part.length >= SHORT_BYTES) {
      this.#bytes.write(part, at, 'latin1')
      return
    }
    const bytes = this.#bytes
    for (let index = 0; index < part.length; index++) bytes[at + index] = part.charCodeAt(index)
  }

  /** Appends prepared bytes. */
  bytes(part: Uint8Array): void {
    this.range(part, 0, part.length)
  }

  range(source: Uint8Array, from: number, to: number): void {
    const at = this.#grow(to - from)
    const bytes = this.#bytes
    if (to - from >= SHORT_BYTES) bytes.set(source.subarray(from, to), at)
    else for (let index = from, target = at; index < to; index++, target++) bytes[target] = source[index]!
  }

  /** Appends two hexadecimal digits per byte. */
  digits(source: Uint8Array, from: number, to: number): void {
    if (to - from >= SHORT_BYTES) {
      this.text(formatDigits(source.subarray(from, to)))
      return
    }
    const at = this.#grow((to - from) * 2)
    const bytes = this.#bytes
    for (let index = from, target = at; index < to; index++) {
      const byte = source[index]!
      bytes[target++] = DIGITS[byte >> 4]!
      bytes[target++] = DIGITS[byte & 15]!
    }
  }

  decimal(value: Gas): void {
    if (typeof value !== 'number' || value >= SMALL_NUMBER || value < 0) {
      this.text(String(value))
      return
    }
    let rest = value | 0
    const digits = digitsOf(rest)
    const at = this.#grow(digits)
    const bytes = this.#bytes
    for (let target = at + digits - 1; target >= at; target--) {
      const tenth = (rest / 10) | 0
      bytes[target] = ZERO + rest - tenth * 10
      rest = tenth
    }
  }

  /** Returns the text and clears the buffer. */
  take(): string {
    const text = this.#bytes.toString('latin1', 0, this.length)
    this.length = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    return text
  }

  append(other: TextBuffer): void {
    this.range(other.#bytes, 0, other.length)
  }

  /** Reserves bytes and returns their start. */
  #grow(count: number): number {
    const at = this.length
    this.length = at + count
    if (this.length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
    }
    return at
  }
}

function digitsOf(value: number): number {
  let digits = 1
  for (let least = 10; value >= least && digits < 10; least *= 10) digits++
  return digits
}
