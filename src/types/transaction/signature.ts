/** Common parts of secp256k1 signatures of transactions, authorizations and seals. */
import { bigintToBytes, concatBytes } from '#types/bytes.ts'

/**
 * Recovers the 64-byte public key of a 65-byte signature (r, s, v of 0 or 1) over a 32-byte digest; throws a Fault if
 * there is none. `recoverPublicKey` in curve.ts is one; a native one is 25 times as fast.
 */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => Uint8Array

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const HALF_ORDER = SECP256K1_ORDER / 2n

/** EIP-2: of the two equivalent signatures, only the one with the lower s is valid. */
export function isLowS(s: bigint): boolean {
  return s <= HALF_ORDER
}

/** The lower of the two equivalent values of s; undefined if s is out of range. */
export function lowerS(s: bigint): bigint | undefined {
  if (s <= 0n || s >= SECP256K1_ORDER) return undefined
  return isLowS(s) ? s : SECP256K1_ORDER - s
}

export function isSignatureInRange({ r, s }: { readonly r: bigint; readonly s: bigint }): boolean {
  return r > 0n && r < SECP256K1_ORDER && s > 0n && s < SECP256K1_ORDER
}

export function signatureToBytes(r: bigint, s: bigint, yParity: number): Uint8Array {
  return concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(yParity))
}
