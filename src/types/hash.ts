import { assert } from './assert.ts'
import { formatData, parseData, parseFixedData } from './hex.ts'
import { bytesFromRlp, type RlpItem } from './rlp.ts'

export const HASH_BYTES = 32

declare const brand: unique symbol
/** Thirty-two bytes as lower-case data: a string, so it can be a map key and be compared with ===. */
export type Hash = string & { readonly [brand]: 'Hash' }

/** Accepts any case, with or without `0x`. */
export function parseHash(text: string): Hash {
  return parseFixedData(text, HASH_BYTES, 'INVALID_HASH', 'A hash') as Hash
}

export const ZERO_HASH: Hash = parseHash('00'.repeat(HASH_BYTES))

/** Throws a Fault if the item is not a hash. */
export function hashFromRlp(item: RlpItem): Hash {
  return hashFromBytes(bytesFromRlp(item, HASH_BYTES))
}

export function hashFromBytes(bytes: Uint8Array): Hash {
  assert(bytes.length === HASH_BYTES, 'A hash has 32 bytes.')
  return formatData(bytes) as Hash
}

export function hashToBytes(hash: Hash): Uint8Array {
  return parseData(hash, HASH_BYTES)
}
