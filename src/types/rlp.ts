/**
 * RLP, bounded and canonical. All bytes from peers are decoded here: each value has one encoding, other encodings are
 * refused, and no input costs more than its limits allow. Byte strings are views into the input, not copies.
 */
import { assert } from './assert.ts'
import { bigintToBytes, bytesToBigint, numberToBytes } from './bytes.ts'
import { Fault } from './fault.ts'

export type RlpItem = Uint8Array | readonly RlpItem[]

export interface RlpLimits {
  /** Nested lists; a list of byte strings has depth 1. */
  readonly maxDepth?: number
  /** Byte strings and lists together. Each costs about 120 bytes of memory, however short it is. */
  readonly maxItems?: number
  readonly maxBytes?: number
}

/** Deeper than any message of eth, QBFT or IBFT 2.0. */
export const DEFAULT_MAX_DEPTH = 16
/** About 15 MB when used up. Bodies of large blocks need more, and their decoder sets its own limit. */
export const DEFAULT_MAX_ITEMS = 100_000
/** The largest p2p message, 16 MiB. */
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024
/** Decoder and encoder recurse, so no caller may request a depth that overflows the stack. */
const DEPTH_CEILING = 1024

const SHORT = 55
/** Room for a leaf with a receipt or a transaction of the usual length. */
const shared = new Uint8Array(16 * 1024)

/** Decodes exactly one item that fills the input. */
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

  /** Reads the item at `offset`, which must end by `end`. Limits are checked before allocations. */
  item(end: number, depthLeft: number): RlpItem {
    const start = this.offset
    if (start >= end) throw invalid(start, 'an item is missing')
    if (--this.#itemsLeft < 0) throw invalid(start, 'there are more items than the limit')
    const first = this.#input[start]!
    if (first < 0x80) return this.#input.subarray(start, ++this.offset)
    const length = payloadLength(this.#input, start, end)
    this.offset = payloadStart(this.#input, start)
    const itemEnd = this.offset + length
    if (first < 0xc0) {
      const from = this.offset
      this.offset = itemEnd
      return this.#input.subarray(from, itemEnd)
    }
    if (depthLeft === 0) throw invalid(start, 'lists are nested deeper than the limit')
    const items: RlpItem[] = []
    while (this.offset < itemEnd) items.push(this.item(itemEnd, depthLeft - 1))
    return items
  }
}

/** The offset of the first item of a list that fills the input. */
export function rlpListStart(input: Uint8Array): number {
  if (input.length === 0) throw invalid(0, 'an item is missing')
  if (input[0]! < 0xc0) throw invalid(0, 'a byte string stands where a list should be')
  const end = rlpItemEnd(input, 0)
  if (end < input.length) throw invalid(end, 'bytes follow the end of the item')
  return payloadStart(input, 0)
}

/** The end of the item at `start`, which must end by `end`. Its content is not checked. */
export function rlpItemEnd(input: Uint8Array, start: number, end: number = input.length): number {
  if (start >= end) throw invalid(start, 'an item is missing')
  return payloadStart(input, start) + payloadLength(input, start, end)
}

/**
 * The encoded items of a list that fills the input, as views. Decoding them one by one costs less than all at once,
 * ends at the first malformed item, and keeps the bytes of each.
 */
export function* encodedRlpItems(
  input: Uint8Array,
  maxItems: number = DEFAULT_MAX_ITEMS,
): Generator<Uint8Array, void, undefined> {
  let next = rlpListStart(input)
  for (let count = 0; next < input.length; count++) {
    if (count === maxItems) throw invalid(next, `a list has more than ${maxItems} items`)
    const start = next
    next = rlpItemEnd(input, start)
    yield input.subarray(start, next)
  }
}

/** Encodes a list of encoded items. */
export function encodeRlpList(items: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of items) length += item.length
  let offset = headerLength(length)
  const list = new Uint8Array(offset + length)
  writeHeader(list, 0, 0xc0, length)
  for (const item of items) {
    list.set(item, offset)
    offset += item.length
  }
  return list
}

/** Length of an item's header, including its first byte; 0 if the byte is the item. */
export function rlpHeaderLength(first: number): number {
  if (first < 0x80) return 0
  const code = first < 0xc0 ? first - 0x80 : first - 0xc0
  return code > SHORT ? 1 + code - SHORT : 1
}

/** The header of a list whose items have `length` bytes in total. */
export function rlpListHeader(length: number): Uint8Array {
  const header = new Uint8Array(headerLength(length))
  writeHeader(header, 0, 0xc0, length)
  return header
}

/** Length of a list whose items have `length` bytes in total. */
export function rlpListLength(length: number): number {
  return headerLength(length) + length
}

function payloadStart(input: Uint8Array, start: number): number {
  return start + rlpHeaderLength(input[start]!)
}

/** The length of the payload after the header at `start`. Refuses longer forms and payloads beyond `end`. */
function payloadLength(input: Uint8Array, start: number, end: number): number {
  const first = input[start]!
  if (first < 0x80) return 1
  const code = first < 0xc0 ? first - 0x80 : first - 0xc0
  const from = payloadStart(input, start)
  let length = code
  if (code > SHORT) {
    if (from > end) throw invalid(start, 'the length is cut off')
    if (input[start + 1] === 0) throw invalid(start, 'the length has a leading zero')
    length = 0
    // Beyond 2^53 this loses digits, but stays longer than any input.
    for (let at = start + 1; at < from; at++) length = length * 256 + input[at]!
    if (length <= SHORT) throw invalid(start, `a length of ${length} has a shorter form`)
  }
  if (length > end - from) {
    throw invalid(start, `the length ${length} is more than the ${end - from} bytes that follow`)
  }
  if (first === 0x81 && input[from]! < 0x80) {
    throw invalid(start, 'a byte below 0x80 stands for itself and has no length')
  }
  return length
}

export function encodeRlp(item: RlpItem): Uint8Array {
  const payloadLengths: number[] = []
  const output = new Uint8Array(measure(item, payloadLengths, DEPTH_CEILING))
  new Encoder(output, payloadLengths, 0).write(item)
  return output
}

/** Encodes an EIP-2718 envelope: the type byte, then the item. */
export function encodeTypedRlp(type: number, item: RlpItem): Uint8Array {
  const payloadLengths: number[] = []
  const output = new Uint8Array(1 + measure(item, payloadLengths, DEPTH_CEILING))
  output[0] = type
  new Encoder(output, payloadLengths, 1).write(item)
  return output
}

/** For bytes that are hashed and dropped: reuses one buffer until the next call, unless they are too long. */
export function encodeRlpShared(item: RlpItem): Uint8Array {
  const payloadLengths: number[] = []
  const length = measure(item, payloadLengths, DEPTH_CEILING)
  const output = length <= shared.length ? shared.subarray(0, length) : new Uint8Array(length)
  new Encoder(output, payloadLengths, 0).write(item)
  return output
}

/** Returns the encoded length and notes the payload length of every list in writing order. */
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
  #offset: number
  #list = 0

  constructor(output: Uint8Array, payloadLengths: readonly number[], offset: number) {
    this.#output = output
    this.#payloadLengths = payloadLengths
    this.#offset = offset
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
    this.#offset = writeHeader(this.#output, this.#offset, kind, length)
  }
}

/** Returns the offset after the header. */
function writeHeader(output: Uint8Array, offset: number, kind: number, length: number): number {
  if (length <= SHORT) {
    output[offset] = kind + length
    return offset + 1
  }
  const lengthBytes = headerLength(length) - 1
  output[offset] = kind + SHORT + lengthBytes
  let rest = length
  for (let index = lengthBytes; index > 0; index--) {
    output[offset + index] = rest & 0xff
    rest = Math.floor(rest / 256)
  }
  return offset + 1 + lengthBytes
}

function headerLength(payloadLength: number): number {
  if (payloadLength <= SHORT) return 1
  let bytes = 1
  for (let rest = payloadLength; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

/** A number in RLP: big-endian, without leading zeros, empty for zero. */
export function rlpScalar(value: bigint | number): Uint8Array {
  return typeof value === 'number' ? numberToBytes(value) : bigintToBytes(value)
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

/** As many items as `Length` says, if it is a literal. */
type RlpItems<Length extends number, Items extends readonly RlpItem[] = []> = number extends Length
  ? readonly RlpItem[]
  : Items['length'] extends Length
    ? Readonly<Items>
    : RlpItems<Length, [...Items, RlpItem]>

/** The item as a list, of exactly `length` items if given. */
export function listFromRlp<Length extends number>(item: RlpItem, length?: Length): RlpItems<Length> {
  if (item instanceof Uint8Array) throw unexpected('a list', item)
  if (length !== undefined && item.length !== length) throw unexpected(`a list of ${length} items`, item)
  return item as RlpItems<Length>
}

function unexpected(expected: string, item: RlpItem): Fault<'INVALID_RLP'> {
  const found = item instanceof Uint8Array ? `${item.length} bytes` : `a list of ${item.length} items`
  return new Fault('INVALID_RLP', { sentence: `The RLP has ${found} where ${expected} should be.` })
}

function invalid(offset: number, reason: string): Fault<'INVALID_RLP'> {
  return new Fault('INVALID_RLP', { sentence: `The RLP is invalid at byte ${offset}: ${reason}.`, offset })
}
