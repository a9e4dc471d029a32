import { assert } from './assert.ts'
import { formatData, parseData } from './hex.ts'

export const MAX_UINT64 = 2n ** 64n - 1n
export const MAX_UINT256 = 2n ** 256n - 1n

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

const LOOP_BYTES = 256

/** Not constant-time: never use it for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  // A block may have 16 MiB; below a few hundred bytes the loop is faster than the call.
  if (a.length > LOOP_BYTES) return Buffer.compare(a, b) === 0
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Orders unsigned bytes, a prefix before longer values. For Array.prototype.sort. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    if (a[index] !== b[index]) return a[index]! - b[index]!
  }
  return a.length - b.length
}

/** Most numbers are short, and creating a bigint from text costs ten times as much as from a number. */
const EXACT_BYTES = 6
const MAX_EXACT = 2n ** 48n - 1n
const WORD_BYTES = 32
const WORD_LIMIT = 2n ** 256n
const word = new Uint8Array(WORD_BYTES)
const wordView = new DataView(word.buffer)

/** Big-endian; no bytes are zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  return readBigint(bytes, 0, bytes.length)
}

/** The same for a part of the bytes, without a view of it. */
export function readBigint(bytes: Uint8Array, start: number, end: number): bigint {
  const length = end - start
  if (length <= EXACT_BYTES) {
    let value = 0
    for (let index = start; index < end; index++) value = value * 256 + bytes[index]!
    return BigInt(value)
  }
  if (length > WORD_BYTES) return BigInt(formatData(bytes.subarray(start, end)))
  word.fill(0, 0, WORD_BYTES - length)
  for (let index = start, at = WORD_BYTES - length; index < end; index++, at++) word[at] = bytes[index]!
  const low = wordView.getBigUint64(24)
  if (length <= 8) return low
  const high = (wordView.getBigUint64(0) << 64n) | wordView.getBigUint64(8)
  return (((high << 64n) | wordView.getBigUint64(16)) << 64n) | low
}

/** Big-endian, without leading zeros (no bytes for zero), or padded with zeros to `length`. */
export function bigintToBytes(value: bigint, length?: number): Uint8Array {
  assert(value >= 0n, 'Only a number that is not negative has bytes.')
  if (value <= MAX_EXACT) return numberToBytes(Number(value), length)
  if (value >= WORD_LIMIT) return longToBytes(value, length)
  let rest = value
  // The view takes the low 64 bits.
  for (let at = WORD_BYTES - 8; at >= 0; at -= 8, rest >>= 64n) wordView.setBigUint64(at, rest)
  let start = 0
  while (word[start] === 0) start++
  const size = length ?? WORD_BYTES - start
  requireFit(WORD_BYTES - start, size)
  if (size <= WORD_BYTES) return word.slice(WORD_BYTES - size)
  const bytes = new Uint8Array(size)
  bytes.set(word, size - WORD_BYTES)
  return bytes
}

/** The same for a safe integer. */
export function numberToBytes(value: number, length?: number): Uint8Array {
  assert(Number.isSafeInteger(value) && value >= 0, 'Only a number that is not negative has bytes.')
  let needed = 0
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) needed++
  const bytes = new Uint8Array(length ?? needed)
  requireFit(needed, bytes.length)
  let at = bytes.length
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes[--at] = rest & 0xff
  return bytes
}

function longToBytes(value: bigint, length?: number): Uint8Array {
  const digits = value.toString(16)
  const needed = Math.ceil(digits.length / 2)
  const size = length ?? needed
  requireFit(needed, size)
  return parseData(`0x${digits.padStart(size * 2, '0')}`, size)
}

function requireFit(needed: number, size: number): void {
  if (needed > size) assert(false, `The number fits in ${size} bytes.`)
}
