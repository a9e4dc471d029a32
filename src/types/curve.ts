/**
 * The two curves a network may use for its keys, with Ethereum's encodings: a public key is 64 bytes (x, y) without
 * the 0x04 of SEC 1, a signature 65 bytes r, s, v with v 0 or 1.
 */
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type Address, addressFromBytes } from './address.ts'
import { assert } from './assert.ts'
import { concatBytes } from './bytes.ts'
import { Fault } from './fault.ts'
import { HASH_BYTES } from './hash.ts'
import { type Keccak, keccak256 } from './keccak.ts'

export const CURVE_NAMES = ['secp256k1', 'secp256r1'] as const
export type CurveName = (typeof CURVE_NAMES)[number]

export const DEFAULT_CURVE: CurveName = 'secp256k1'
export const PRIVATE_KEY_BYTES = 32
export const PUBLIC_KEY_BYTES = 64
export const SIGNATURE_BYTES = 65
/** Half more than a key: reduced modulo the order, the bias is below 2^-128 and no draw is refused. */
export const KEY_RANDOM_BYTES = 48

const CURVES = { secp256k1, secp256r1: p256 }
const UNCOMPRESSED = Uint8Array.of(0x04)

export function isPrivateKey(curve: CurveName, bytes: Uint8Array): boolean {
  return bytes.length === PRIVATE_KEY_BYTES && CURVES[curve].utils.isValidSecretKey(bytes)
}

export function isPublicKey(curve: CurveName, bytes: Uint8Array): boolean {
  return (
    bytes.length === PUBLIC_KEY_BYTES &&
    CURVES[curve].utils.isValidPublicKey(concatBytes(UNCOMPRESSED, bytes), false)
  )
}

/** Makes a private key from KEY_RANDOM_BYTES bytes that the caller draws from a secure source. */
export function privateKeyFromRandom(curve: CurveName, random: Uint8Array): Uint8Array {
  assert(random.length === KEY_RANDOM_BYTES, 'A key is made from 48 random bytes.')
  return CURVES[curve].utils.randomSecretKey(random)
}

export function publicKeyFromPrivate(curve: CurveName, privateKey: Uint8Array): Uint8Array {
  if (!isPrivateKey(curve, privateKey)) {
    throw new Fault('INVALID_PRIVATE_KEY', {
      sentence: `A ${curve} private key is 32 bytes, above zero and below the order of the curve.`,
    })
  }
  return CURVES[curve].getPublicKey(privateKey, false).slice(1)
}

export function addressFromPublicKey(publicKey: Uint8Array, keccak: Keccak = keccak256): Address {
  assert(publicKey.length === PUBLIC_KEY_BYTES, 'A public key has 64 bytes.')
  return addressFromBytes(keccak(publicKey).subarray(12))
}

export type Sign = (privateKey: Uint8Array, digest: Uint8Array) => Uint8Array

/** Signs with secp256k1: deterministic (RFC 6979), low s. */
export function sign(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  assert(digest.length === HASH_BYTES, 'The digest has 32 bytes.')
  const recovered = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
  return concatBytes(recovered.subarray(1), recovered.subarray(0, 1))
}

/**
 * Recovers the secp256k1 public key of a signature. High s is accepted, as Besu does for seals and messages;
 * transactions forbid it, and their callers refuse it first.
 */
export function recoverPublicKey(digest: Uint8Array, signature: Uint8Array): Uint8Array {
  assert(digest.length === HASH_BYTES, 'The digest has 32 bytes.')
  if (signature.length !== SIGNATURE_BYTES || signature[64]! > 1) {
    throw new Fault('INVALID_SIGNATURE', {
      sentence: 'A signature has 65 bytes, of which the last is 0 or 1.',
    })
  }
  try {
    const { Signature } = secp256k1
    const { r, s } = Signature.fromBytes(signature.subarray(0, 64), 'compact')
    return new Signature(r, s, signature[64]).recoverPublicKey(digest).toBytes(false).slice(1)
  } catch (cause) {
    // The library throws plain errors: r or s out of range, or r is not a point of the curve.
    throw new Fault('INVALID_SIGNATURE', { sentence: 'No public key made this signature.' }, { cause })
  }
}
