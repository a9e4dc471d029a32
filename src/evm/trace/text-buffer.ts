/**
 * JSON text while it is made, as the bytes of its characters. A step is a dozen short parts: put together as strings, most
 * of the time would go into joining them.
 */
import { formatDigits } from '#types/hex.ts'
import type { Gas } from './record-visitor.ts'

const FIRST_BYTES = 4 * 1024
/** Room beyond this, which a single long part took, is given back. */
const KEPT_BYTES = 256 * 1024
/** Below this a loop is faster than a call that copies. */
const SHORT_BYTES = 96
/** Whole numbers below this are counted by cheap arithmetic. */
const SMALL_NUMBER = 2 ** 31
const ZERO = 0x30
/** Hexadecimal, lower case. */
export const DIGITS: Uint8Array = ascii('0123456789abcdef')

/** Characters of one byte each. */
export function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

export class TextBuffer {
  length = 0
  #bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES)

  /** Characters of one byte each, of which JSON text of traces is made: digits, names and punctuation. */
  text(part: string): void {
    const at = this.#grow(part.length)
    if (part.length >= SHORT_BYTES) {
      this.#bytes.write(part, at, 'latin1')
      return
    }
    const bytes = this.#bytes
    for (let index = 0; index < part.length; index++) bytes[at + index] = part.charCodeAt(index)
  }

  /** The same, prepared. */
  bytes(part: Uint8Array): void {
    this.range(part, 0, part.length)
  }

  range(source: Uint8Array, from: number, to: number): void {
    const at = this.#grow(to - from)
    const bytes = this.#bytes
    if (to - from >= SHORT_BYTES) bytes.set(source.subarray(from, to), at)
    else for (let index = from, target = at; index < to; index++, target++) bytes[target] = source[index]!
  }

  /** Two hexadecimal digits per byte. */
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

  /** What there is; it is empty then. */
  take(): string {
    const text = this.#bytes.toString('latin1', 0, this.length)
    this.length = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES)
    return text
  }

  /** All that another one holds. */
  append(other: TextBuffer): void {
    this.range(other.#bytes, 0, other.length)
  }

  /** Makes room; where it begins. */
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
