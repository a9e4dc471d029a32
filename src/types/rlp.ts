/**
 * RLP, bounded and canonical. Every byte that comes from a peer is decoded here and nowhere else:
 * there is one encoding of each value, other encodings are refused, and no input costs more than
 * its limits allow. Byte strings are views into the input, not copies.
 */
import { assert } from './assert.ts'
import { bigintToBytes, bytesToBigint } from './bytes.ts'
import { Fault } from './fault.ts'

export type RlpItem = Uint8Array | readonly RlpItem[]

export interface RlpLimits {
  /** Lists within lists; a list of byte strings has depth 1. */
  readonly maxDepth?: number
  /** Byte strings and lists together. Each costs about 120 bytes of memory, however short it is. */
  readonly maxItems?: number
  readonly maxBytes?: number
}

/** Deeper than any message of eth, QBFT or IBFT 2.0. */
export const DEFAULT_MAX_DEPTH = 16
/** About 15 MB when used up. Bodies of large blocks need more: their decoder says how many. */
export const DEFAULT_MAX_ITEMS = 100_000
/** The largest p2p message, 16 MiB. */
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024
/** Decoder and encoder recurse, so that no caller may ask for a depth that ends the stack. */
const DEPTH_CEILING = 1024

const SHORT = 55

/** Decodes exactly one item that fills the whole input. */
export function decodeRlp(input: Uint8Array, limits: RlpLimits = {}): RlpItem {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES
  const maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH
  assert(maxDepth <= DEPTH_CEILING, `RLP is decoded to a depth of at most ${DEPTH_CEILING}.`)
  if (input.length > maxBytes) throw invalid(0, `${input.length} bytes are more than the limit, ${maxBytes}`)
  const decoder = new Decoder(input, limits.maxItems ?? DEFAULT_MAX_ITEMS)
  const item = decoder.item(input.length, maxDepth)
  if (decoder.offset < input.length) throw invalid(decoder.offset, 'bytes follow the end of the item')
  return item
}

class Decoder {
  offset = 0
  readonly #input: Uint8Array
  #itemsLeft: number

  constructor(input: Uint8Array, maxItems: number) {
    this.#input = input
    this.#itemsLeft = maxItems
  }

  /** Reads the item at `offset`, which has to end by `end`. Limits come before allocations. */
  item(end: number, depthLeft: number): RlpItem {
    const start = this.offset
    if (start >= end) throw invalid(start, 'an item is missing')
    if (--this.#itemsLeft < 0) throw invalid(start, 'there are more items than the limit')
    const first = this.#input[start]!
    if (first < 0x80) return this.#input.subarray(start, ++this.offset)
    if (first < 0xc0) return this.#string(start, this.#payloadLength(first - 0x80, end))
    const length = this.#payloadLength(first - 0xc0, end)
    if (depthLeft === 0) throw invalid(start, 'lists are nested deeper than the limit')
    const listEnd = this.offset + length
    const items: RlpItem[] = []
    while (this.offset < listEnd) items.push(this.item(listEnd, depthLeft - 1))
    return items
  }

  #string(start: number, length: number): Uint8Array {
    const from = this.offset
    if (length === 1 && this.#input[from]! < 0x80) {
      throw invalid(start, 'a byte below 0x80 stands for itself and has no length')
    }
    this.offset = from + length
    return this.#input.subarray(from, this.offset)
  }

  /** Moves `offset` past the header. `code` is the first byte without the kind: 0 to 55, or 56 to 63. */
  #payloadLength(code: number, end: number): number {
    const start = this.offset++
    let length = code
    if (code > SHORT) {
      const payloadStart = this.offset + code - SHORT
      if (payloadStart > end) throw invalid(start, 'the length is cut off')
      if (this.#input[this.offset] === 0) throw invalid(start, 'the length has a leading zero')
      length = 0
      // Beyond 2^53 this loses digits, but not the fact that it is longer than any input.
      while (this.offset < payloadStart) length = length * 256 + this.#input[this.offset++]!
      if (length <= SHORT) throw invalid(start, `a length of ${length} has a shorter form`)
    }
    if (length > end - this.offset) {
      throw invalid(start, `the length ${length} is more than the ${end - this.offset} bytes that follow`)
    }
    return length
  }
}

export function encodeRlp(item: RlpItem): Uint8Array {
  const payloadLengths: number[] = []
  const output = new Uint8Array(measure(item, payloadLengths, DEPTH_CEILING))
  new Encoder(output, payloadLengths).write(item)
  return output
}

/** The encoded length. Notes the payload of every list, in the order in which they are written. */
function measure(item: RlpItem, payloadLengths: number[], depthLeft: number): number {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? 1 : headerLength(item.length) + item.length
  }
  assert(depthLeft > 0, `RLP is encoded to a depth of at most ${DEPTH_CEILING}.`)
  const index = payloadLengths.push(0) - 1
  let length = 0
  for (const child of item) length += measure(child, payloadLengths, depthLeft - 1)
  payloadLengths[index] = length
  return headerLength(length) + length
}

class Encoder {
  readonly #output: Uint8Array
  readonly #payloadLengths: readonly number[]
  #offset = 0
  #list = 0

  constructor(output: Uint8Array, payloadLengths: readonly number[]) {
    this.#output = output
    this.#payloadLengths = payloadLengths
  }

  write(item: RlpItem): void {
    if (item instanceof Uint8Array) {
      if (item.length !== 1 || item[0]! >= 0x80) this.#header(0x80, item.length)
      this.#output.set(item, this.#offset)
      this.#offset += item.length
      return
    }
    this.#header(0xc0, this.#payloadLengths[this.#list++]!)
    for (const child of item) this.write(child)
  }

  #header(kind: number, length: number): void {
    if (length <= SHORT) {
      this.#output[this.#offset++] = kind + length
      return
    }
    const lengthBytes = headerLength(length) - 1
    this.#output[this.#offset] = kind + SHORT + lengthBytes
    let rest = length
    for (let index = lengthBytes; index > 0; index--) {
      this.#output[this.#offset + index] = rest & 0xff
      rest = Math.floor(rest / 256)
    }
    this.#offset += 1 + lengthBytes
  }
}

function headerLength(payloadLength: number): number {
  if (payloadLength <= SHORT) return 1
  let bytes = 1
  for (let rest = payloadLength; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

/** A number as RLP carries it: big-endian, no leading zeros, nothing for zero. */
export function rlpScalar(value: bigint | number): Uint8Array {
  return bigintToBytes(BigInt(value))
}

export function scalarFromRlp(item: RlpItem, maxBytes: number = 32): bigint {
  const bytes = bytesFromRlp(item)
  if (bytes.length > maxBytes) throw unexpected(`a number of at most ${maxBytes} bytes`, item)
  if (bytes[0] === 0) throw unexpected('a number without leading zeros', item)
  return bytesToBigint(bytes)
}

/** The item as a byte string, of exactly `length` bytes if given. */
export function bytesFromRlp(item: RlpItem, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw unexpected('a byte string', item)
  if (length !== undefined && item.length !== length) throw unexpected(`${length} bytes`, item)
  return item
}

/** The item as a list, of exactly `length` items if given. */
export function listFromRlp(item: RlpItem, length?: number): readonly RlpItem[] {
  if (item instanceof Uint8Array) throw unexpected('a list', item)
  if (length !== undefined && item.length !== length) throw unexpected(`a list of ${length} items`, item)
  return item
}

function unexpected(expected: string, item: RlpItem): Fault<'INVALID_RLP'> {
  const found = item instanceof Uint8Array ? `${item.length} bytes` : `a list of ${item.length} items`
  return new Fault('INVALID_RLP', { sentence: `The RLP has ${found} where ${expected} should be.` })
}

function invalid(offset: number, reason: string): Fault<'INVALID_RLP'> {
  return new Fault('INVALID_RLP', { sentence: `The RLP is invalid at byte ${offset}: ${reason}.`, offset })
}
