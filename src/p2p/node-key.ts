/** The key by which this node is known. Whoever holds it may be slow, or on another machine: every answer is a promise. */
import { createECDH } from 'node:crypto'
import type { Secret } from '#platform/secret.ts'
import { assert } from '#types/assert.ts'
import { PUBLIC_KEY_BYTES, type Sign, sign } from '#types/curve.ts'

export interface NodeKeyHolder {
  /** 64 bytes. */
  publicKey(): Promise<Uint8Array>
  /** A signature of 65 bytes over a digest of 32. */
  sign(digest: Uint8Array): Promise<Uint8Array>
  /** The x coordinate, 32 bytes, of what this key and that of another node have in common. Rejects what is no key. */
  ecdh(publicKey: Uint8Array): Promise<Uint8Array>
}

const UNCOMPRESSED = 0x04

/** A key that is held in memory. `signs`: a faster form, for whoever signs often. */
export function createLocalNodeKey(privateKey: Secret<Uint8Array>, signs: Sign = sign): NodeKeyHolder {
  const { publicKey, shared } = keyAgreement(privateKey.reveal())
  return {
    publicKey: async () => publicKey,
    sign: async (digest) => signs(privateKey.reveal(), digest),
    ecdh: async (other) => shared(other),
  }
}

/**
 * Making one costs as much as using it, so that a key that is used twice is kept. OpenSSL refuses points that are not on
 * the curve: a chosen one would tell something about the private key.
 */
export function keyAgreement(privateKey: Uint8Array): {
  readonly publicKey: Uint8Array
  shared(publicKey: Uint8Array): Uint8Array
} {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(privateKey)
  const point = new Uint8Array(1 + PUBLIC_KEY_BYTES)
  point[0] = UNCOMPRESSED
  return {
    publicKey: new Uint8Array(ecdh.getPublicKey().subarray(1)),
    shared(publicKey) {
      assert(publicKey.length === PUBLIC_KEY_BYTES, 'A public key has 64 bytes.')
      point.set(publicKey, 1)
      return ecdh.computeSecret(point)
    },
  }
}
