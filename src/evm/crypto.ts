/**
 * The fast forms of what `types` does in pure JavaScript: Keccak in WebAssembly (8 times as fast), key recovery in
 * native code where a prebuilt binary fits (25 times), else in the pure form; the answers are the same.
 */
import { createRequire } from 'node:module'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { recoverPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Recover } from '#types/signature.ts'

export interface Crypto {
  readonly keccak: Keccak
  readonly recover: Recover
  /** Whether keys are recovered by native code; for the log at start. */
  readonly isNative: boolean
}

interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recovery: number, digest: Uint8Array, compressed: false): Uint8Array
}

let loaded: Promise<Crypto> | undefined

/** Loaded once per thread. */
export function loadCrypto(): Promise<Crypto> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Crypto> {
  const native = loadNative()
  return {
    keccak: await loadFastKeccak(),
    recover: native === undefined ? recoverPublicKey : nativeRecover(native),
    isNative: native !== undefined,
  }
}

function loadNative(): NativeSecp256k1 | undefined {
  try {
    // Not the package's main file, which would fall back to an elliptic curve library slower than our own.
    return createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1
  } catch {
    return undefined
  }
}

function nativeRecover(native: NativeSecp256k1): Recover {
  return (digest, signature) => {
    const recovery = signature[64]!
    if (signature.length !== 65 || recovery > 1) return recoverPublicKey(digest, signature)
    try {
      return native.ecdsaRecover(signature.subarray(0, 64), recovery, digest, false).subarray(1)
    } catch (cause) {
      throw new Fault('INVALID_SIGNATURE', { sentence: 'No public key made this signature.' }, { cause })
    }
  }
}
