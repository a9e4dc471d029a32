import { assert } from './assert.ts'
import { formatData, formatDigits, parseData, parseFixedData } from './hex.ts'
import { keccak256 } from './keccak.ts'
import { bytesFromRlp, type RlpItem } from './rlp.ts'

export const ADDRESS_BYTES = 20

declare const brand: unique symbol
/** Twenty bytes as lower-case data: a string, so it can be a map key and be compared with ===. */
export type Address = string & { readonly [brand]: 'Address' }

/** The zero address: the default caller, and never the target of a call. */
export const ZERO_ADDRESS = `0x${'00'.repeat(ADDRESS_BYTES)}` as Address

/** Accepts any case, with or without `0x`. Checksums are not verified, as in Besu. */
export function parseAddress(text: string): Address {
  return parseFixedData(text, ADDRESS_BYTES, 'INVALID_ADDRESS', 'An address') as Address
}

/** Throws a Fault if the item is not an address. */
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

/** Formats with the EIP-55 checksum, which is the case of the letters. */
export function withChecksum(address: Address): string {
  const digits = address.slice(2)
  const marks = formatDigits(keccak256(new TextEncoder().encode(digits)))
  return `0x${[...digits].map((digit, at) => (marks[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`
}
