/**
 * A stack as the text that traces print: quoted items, each followed by a comma. Any run of items is therefore a run
 * of bytes.
 */
import { DIGITS } from './text-buffer.ts'

const FIRST_BYTES = 512
/** An item of 32 bytes: digits, `0x`, quotes and comma. */
const ITEM_MAX_BYTES = 64 + 5
const [QUOTE, COMMA, ZERO, SMALL_X] = [0x22, 0x2c, 0x30, 0x78]
/** Characters of an item before its first digit and after its last. */
const [BEFORE_DIGITS, BEHIND_DIGITS] = [3, 2]

export class StackText {
  /** Number of items. */
  length = 0
  bytes: Uint8Array = new Uint8Array(FIRST_BYTES)
  /** End of each item; entries beyond `length` are reused. */
  readonly #ends: number[] = []
  #end = 0
  #spare: Uint8Array | undefined

  clear(): void {
    this.length = 0
    this.#end = 0
  }

  /** End of the text, without the last comma. */
  get end(): number {
    return this.#end === 0 ? 0 : this.#end - 1
  }

  /** Start of the text of the topmost `count` items. */
  startOf(count: number): number {
    return this.#endOf(this.length - count - 1)
  }

  /** Pushes a word without leading zeros. */
  push(source: Uint8Array, from: number, length: number): void {
    this.#makeRoom(ITEM_MAX_BYTES)
    const { bytes } = this
    let at = this.#end
    bytes[at++] = QUOTE
    bytes[at++] = ZERO
    bytes[at++] = SMALL_X
    const first = length === 0 ? 0 : source[from]!
    if (first >= 16) bytes[at++] = DIGITS[first >> 4]!
    bytes[at++] = DIGITS[first & 15]!
    for (let index = from + 1; index < from + length; index++) {
      const byte = source[index]!
      bytes[at++] = DIGITS[byte >> 4]!
      bytes[at++] = DIGITS[byte & 15]!
    }
    bytes[at++] = QUOTE
    bytes[at++] = COMMA
    this.#end = at
    this.#ends[this.length++] = at
  }

  drop(count: number): void {
    this.length -= count
    this.#end = this.#endOf(this.length - 1)
  }

  /** Duplicates the item at `reach` from the top, which is 1. */
  duplicate(reach: number): void {
    this.#makeRoom(ITEM_MAX_BYTES)
    const from = this.startOf(reach)
    const to = this.#ends[this.length - reach]!
    const { bytes } = this
    let at = this.#end
    for (let index = from; index < to; index++) bytes[at++] = bytes[index]!
    this.#end = at
    this.#ends[this.length++] = at
  }

  /** Exchanges the top item with the one `below` it. */
  swap(below: number): void {
    const { bytes, length } = this
    const ends = this.#ends
    const start = this.startOf(below + 1)
    const otherEnd = ends[length - below - 1]!
    const topStart = ends[length - 2]!
    const size = this.#end - start
    if (this.#spare === undefined || this.#spare.length < size) this.#spare = new Uint8Array(size * 2)
    const before = this.#spare
    for (let index = 0; index < size; index++) before[index] = bytes[start + index]!
    let at = start
    for (let index = topStart - start; index < size; index++) bytes[at++] = before[index]!
    for (let index = otherEnd - start; index < topStart - start; index++) bytes[at++] = before[index]!
    for (let index = 0; index < otherEnd - start; index++) bytes[at++] = before[index]!
    const moved = this.#end - topStart - (otherEnd - start)
    if (moved === 0) return
    for (let index = length - below - 1; index < length - 1; index++) ends[index]! += moved
  }

  /** The quantity at `reach` from the top, which is 1. */
  item(reach: number): string {
    const to = this.#ends[this.length - reach]! - BEHIND_DIGITS
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset).toString(
      'latin1',
      this.startOf(reach) + 1,
      to,
    )
  }

  /** The same as a number, exact if it can be. */
  number(reach: number): number {
    const to = this.#ends[this.length - reach]! - BEHIND_DIGITS
    let value = 0
    for (let at = this.startOf(reach) + BEFORE_DIGITS; at < to; at++) {
      const code = this.bytes[at]!
      value = value * 16 + (code < 0x3a ? code - ZERO : code - 0x57)
    }
    return value
  }

  /** All items, the top last. */
  items(): string[] {
    return Array.from({ length: this.length }, (_, index) => this.item(this.length - index))
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!
  }

  #makeRoom(count: number): void {
    if (this.#end + count <= this.bytes.length) return
    const grown = new Uint8Array(this.bytes.length * 2)
    grown.set(this.bytes)
    this.bytes = grown
  }
}
