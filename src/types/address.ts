import { assert } from './assert.ts'
import { formatData, formatDigits, parseData, parseFixedData } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { bytesFromRlp, type RlpItem } from './rlp.ts'

export const ADDRESS_BYTES = 20

declare const brand: unique symbol
/** Twenty bytes as lower-case data: a string, so that it is a key of a Map and compares with ===. */
export type Address = string & { readonly [brand]: 'Address' }

/** The zero address: the caller where none is named, and the target of no call. */
export const ZERO_ADDRESS = `0x${'00'.repeat(ADDRESS_BYTES)}` as Address

/** Takes what operators write: any case, `0x` or not. Checksums are not verified, as in Besu. */
export function parseAddress(text: string): Address {
  return parseFixedData(text, ADDRESS_BYTES, 'INVALID_ADDRESS', 'An address') as Address
}

/** Throws a Fault if the item is no address. */
export function addressFromRlp(item: RlpItem): Address {
  return addressFromBytes(bytesFromRlp(item, ADDRESS_BYTES))
}

export function addressFromBytes(bytes: Uint8Array): Address {
  assert(bytes.length === ADDRESS_BYTES, 'An address has 20 bytes.')
  return formatData(bytes) as Address
}

export function addressToBytes(address: Address): Uint8Array {
  return parseData(address, ADDRESS_BYTES)
}

/** As EIP-55 writes it: the case of its letters is a checksum. */
export function withChecksum(address: Address): string {
  const digits = address.slice(2)
  const marks = formatDigits(keccak256(new TextEncoder().encode(digits)))
  return `0x${[...digits].map((digit, at) => (marks[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`
}
