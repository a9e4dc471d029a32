/**
 * A node key held elsewhere, with verified answers. A signature counts if it was made by the key named first; it is converted
 * to the form that this node makes itself.
 */
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import { bigintToBytes, bytesToBigint, concatBytes, equalBytes } from '#types/bytes.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { lowerS, type Recover } from '#types/transaction/signature.ts'
import { signerFault } from './faults.ts'

const COORDINATE_BYTES = 32

/** `holder` begins error messages: `The signer at …`. */
export function createCheckedNodeKey(
  publicKey: Uint8Array,
  held: Pick<NodeKeyHolder, 'sign' | 'ecdh'>,
  recover: Recover,
  holder: string,
): NodeKeyHolder {
  return {
    publicKey: async () => publicKey,
    async sign(digest) {
      const signature = withRecoveryId(digest, await held.sign(digest), publicKey, recover)
      if (signature !== undefined) return signature
      throw signerFault(
        'SIGNER_REFUSED',
        `${holder} gave a signature that is not by the key of this node, ${addressFromPublicKey(publicKey)}. It has another key since, or signs something else than the digest; give it that key, or start the node again if it is to have the new one.`,
      )
    },
    ecdh: (other) => held.ecdh(other),
  }
}

/** Adds the recovery id, which devices omit, and lowers s. Returns undefined if another key signed. */
function withRecoveryId(
  digest: Uint8Array,
  given: Uint8Array,
  publicKey: Uint8Array,
  recover: Recover,
): Uint8Array | undefined {
  const r = given.subarray(0, COORDINATE_BYTES)
  const s = lowerS(bytesToBigint(given.subarray(COORDINATE_BYTES, 2 * COORDINATE_BYTES)))
  if (s === undefined) return undefined
  for (const id of [0, 1]) {
    const signature = concatBytes(r, bigintToBytes(s, COORDINATE_BYTES), Uint8Array.of(id))
    if (isBy(publicKey, digest, signature, recover)) return signature
  }
  return undefined
}

function isBy(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array, recover: Recover): boolean {
  try {
    return equalBytes(recover(digest, signature), publicKey)
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
