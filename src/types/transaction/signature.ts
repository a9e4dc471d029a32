/** What transactions, authorizations and seals share about secp256k1 signatures. */
import { bigintToBytes, concatBytes } from '#types/bytes.ts'

/**
 * The 64-byte public key that made a 65-byte signature (r, s, v of 0 or 1) over a 32-byte digest; throws a
 * Fault if none did. `recoverPublicKey` in curve.ts is one; a native one, chosen elsewhere, is 25 times as fast.
 */
export type Recover = (digest: Uint8Array, signature: Uint8Array) => Uint8Array

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const HALF_ORDER = ORDER / 2n

/** EIP-2: of the two signatures that say the same, only the one with the lower s counts. */
export function isLowS(s: bigint): boolean {
  return s <= HALF_ORDER
}

/** Of the two, the one that counts; undefined: no signature has this s. */
export function lowerS(s: bigint): bigint | undefined {
  if (s <= 0n || s >= ORDER) return undefined
  return isLowS(s) ? s : ORDER - s
}

/** Whether both are numbers that a signature can have at all. */
export function isSignatureInRange({ r, s }: { readonly r: bigint; readonly s: bigint }): boolean {
  return r > 0n && r < ORDER && s > 0n && s < ORDER
}

export function signatureToBytes(r: bigint, s: bigint, yParity: number): Uint8Array {
  return concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(yParity))
}
