/**
 * The bloom filter of headers and receipts: 2048 bits that show whether an address or topic is certainly absent from
 * the logs, or possibly present. Each sets three bits, determined by its hash.
 */
import { type Address, addressToBytes } from '#types/address.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import type { Log } from './log.ts'

/** The bits of one address or topic, computed once for many blooms. */
export type BloomBits = readonly [number, number, number]

export const BLOOM_BYTES = 256
const BITS = BLOOM_BYTES * 8

export function emptyBloom(): Uint8Array {
  return new Uint8Array(BLOOM_BYTES)
}

export function bloomBits(bytes: Uint8Array, keccak: Keccak = keccak256): BloomBits {
  const hash = keccak(bytes)
  return [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)]
}

export function addToBloom(bloom: Uint8Array, bits: BloomBits): void {
  for (const bit of bits) bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7)
}

/** A cache of bits by address and topic, because the logs of a block repeat them. */
export type KnownBits = Map<Address | Hash, BloomBits>

export function bloomOfLogs(
  logs: Iterable<Log>,
  keccak: Keccak = keccak256,
  known: KnownBits = new Map(),
): Uint8Array {
  const bloom = emptyBloom()
  for (const { address, topics } of logs) {
    addToBloom(bloom, known.get(address) ?? learn(known, address, addressToBytes(address), keccak))
    for (const topic of topics) {
      addToBloom(bloom, known.get(topic) ?? learn(known, topic, hashToBytes(topic), keccak))
    }
  }
  return bloom
}

function learn(known: KnownBits, text: Address | Hash, bytes: Uint8Array, keccak: Keccak): BloomBits {
  const bits = bloomBits(bytes, keccak)
  known.set(text, bits)
  return bits
}

/** Merges the blooms of receipts into that of a block. */
export function mergeBlooms(blooms: Iterable<Uint8Array>): Uint8Array {
  const merged = emptyBloom()
  for (const bloom of blooms) {
    for (let index = 0; index < BLOOM_BYTES; index++) merged[index]! |= bloom[index]!
  }
  return merged
}

/** Returns false if the value is certainly absent. */
export function bloomMightContain(bloom: Uint8Array, bits: BloomBits): boolean {
  return hasBit(bloom, bits[0]) && hasBit(bloom, bits[1]) && hasBit(bloom, bits[2])
}

/** Bits count from the end of the filter, as in one large number. */
function bitAt(hash: Uint8Array, at: number): number {
  return ((hash[at]! << 8) | hash[at + 1]!) % BITS
}

function hasBit(bloom: Uint8Array, bit: number): boolean {
  return (bloom[BLOOM_BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0
}
