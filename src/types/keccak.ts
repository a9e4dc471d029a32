import { keccak_256 } from '@noble/hashes/sha3.js'

/**
 * `keccak256`, or a faster one that does the same, which the caller chose. The hash is the caller's to keep.
 */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/** A hash of what has come so far, which may be read at any time and goes on. */
export interface RunningKeccak {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}

/** Ethereum's hash: Keccak as submitted, which pads otherwise than SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

export function createRunningKeccak(): RunningKeccak {
  const state = keccak_256.create()
  return {
    update: (bytes) => void state.update(bytes),
    digest: () => state.clone().digest(),
  }
}
