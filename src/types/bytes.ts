import { assert } from './assert.ts'
import { formatData, parseData } from './hex.ts'

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

/** Not constant-time: never for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Orders as unsigned bytes, a prefix before what it begins. For Array.prototype.sort. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    if (a[index] !== b[index]) return a[index]! - b[index]!
  }
  return a.length - b.length
}

/** Big-endian; no bytes are zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(formatData(bytes))
}

/** Big-endian: as few bytes as hold the value (none for zero), or padded with zeros to `length`. */
export function bigintToBytes(value: bigint, length?: number): Uint8Array {
  assert(value >= 0n, 'Only a number that is not negative has bytes.')
  const digits = value === 0n ? '' : value.toString(16)
  const size = length ?? Math.ceil(digits.length / 2)
  assert(digits.length <= size * 2, `The number fits in ${size} bytes.`)
  return parseData(`0x${digits.padStart(size * 2, '0')}`, size)
}
