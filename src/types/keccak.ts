import { keccak_256 } from '@noble/hashes/sha3.js'

/** `keccak256` or a faster equivalent chosen by the caller, which owns the result. */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/** An incremental hash that can be read at any time and continued. */
export interface RunningKeccak {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}

/** Ethereum's hash: Keccak as submitted, whose padding differs from SHA3-256. */
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
