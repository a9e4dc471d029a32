import { keccak_256 } from '@noble/hashes/sha3.js'

/** Ethereum's hash: Keccak as submitted, which pads otherwise than SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
