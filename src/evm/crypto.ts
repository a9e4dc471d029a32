/**
 * Faster implementations of functions in `types`: Keccak in WebAssembly (8 times as fast), key recovery and
 * signatures by the native engine's binary if it loads (npm run bench -- recover). The results are the same.
 */
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { recoverPublicKey, SIGNATURE_BYTES, type Sign, sign } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { signingHash } from '#types/transaction/transaction-sender.ts'
import { type BlobCrypto, nativeBlobCrypto } from './native/kzg.ts'
import { type Addon, loadAddon } from './native/load-addon.ts'
import { recoverSenders } from './native/recover-senders.ts'

export interface Crypto {
  readonly keccak: Keccak
  readonly recover: Recover
  readonly sign: Sign
  /** Recovers senders on other threads; undefined entries have an impossible signature. Only with native code. */
  readonly recoverBeside?:
    | ((transactions: readonly Transaction[]) => Promise<readonly (Address | undefined)[]>)
    | undefined
  /** Undefined without native code: blobs cannot be verified. */
  readonly blobs?: BlobCrypto | undefined
  /** Whether native code recovers keys; logged at start. */
  readonly isNative: boolean
}

let loaded: Promise<Crypto> | undefined

/** Loaded once per thread. */
export function loadCrypto(): Promise<Crypto> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Crypto> {
  const native = loadAddon()
  const keccak = loadFastKeccak()
  return {
    keccak,
    recover: native.ok ? nativeRecover(native.addon) : recoverPublicKey,
    sign: native.ok ? nativeSign(native.addon) : sign,
    recoverBeside: native.ok ? besideRecover(native.addon, keccak) : undefined,
    blobs: native.ok ? nativeBlobCrypto(native.addon) : undefined,
    isNative: native.ok,
  }
}

function nativeRecover({ recoverKey }: Addon): Recover {
  return (digest, signature) => {
    // The pure form rejects malformed signatures before it computes, so they cost little.
    if (signature.length !== SIGNATURE_BYTES || signature[64]! > 1) return recoverPublicKey(digest, signature)
    const key = recoverKey(digest, signature)
    if (key.length > 0) return key
    throw new Fault('INVALID_SIGNATURE', { sentence: 'No public key made this signature.' })
  }
}

function nativeSign({ signDigest }: Addon): Sign {
  if (signDigest === undefined) return sign
  return (privateKey, digest) => {
    const signature = signDigest(privateKey, digest)
    assert(signature.length === SIGNATURE_BYTES, 'A key of this node signs digests of 32 bytes.')
    return signature
  }
}

function besideRecover(addon: Addon, keccak: Keccak): Crypto['recoverBeside'] {
  return (transactions) =>
    recoverSenders(
      addon,
      transactions.map((transaction) => {
        const { r, s, yParity } = transaction
        return { digest: signingHash(transaction, keccak), r, s, yParity }
      }),
    )
}
