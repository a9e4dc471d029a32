/** The node key. Its holder may be slow or on another machine, so every answer is a promise. */
import { createECDH } from 'node:crypto'
import type { Secret } from '#platform/secret.ts'
import { assert } from '#types/assert.ts'
import { PUBLIC_KEY_BYTES, type Sign, sign } from '#types/curve.ts'

export interface NodeKeyHolder {
  /** 64 bytes. */
  publicKey(): Promise<Uint8Array>
  /** Returns a 65-byte signature of a 32-byte digest. */
  sign(digest: Uint8Array): Promise<Uint8Array>
  /** Returns the x coordinate, 32 bytes, of the shared point with another node's key. Rejects invalid keys. */
  ecdh(publicKey: Uint8Array): Promise<Uint8Array>
}

const UNCOMPRESSED = 0x04

/** A key held in memory. `signs` may be a faster implementation. */
export function createLocalNodeKey(privateKey: Secret<Uint8Array>, signs: Sign = sign): NodeKeyHolder {
  const { publicKey, shared } = keyAgreement(privateKey.reveal())
  return {
    publicKey: async () => publicKey,
    sign: async (digest) => signs(privateKey.reveal(), digest),
    ecdh: async (other) => shared(other),
  }
}

/** Keep the result: setup costs as much as a use. OpenSSL rejects points off the curve, which could leak the key. */
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
