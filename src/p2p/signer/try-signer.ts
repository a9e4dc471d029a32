/** Whether a signer does what the contract says, found out before anybody relies on it. */
import { keyAgreement, type NodeKeyHolder } from '#p2p/node-key.ts'
import type { Clock } from '#platform/clock.ts'
import type { Random } from '#platform/random.ts'
import { equalBytes } from '#types/bytes.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import { HASH_BYTES } from '#types/hash.ts'
import type { Recover } from '#types/transaction/signature.ts'
import { createCheckedNodeKey } from './checked-node-key.ts'
import { signerFault } from './faults.ts'

export interface TriedSigner {
  readonly publicKey: Uint8Array
  readonly signMs: number
}

/** Asks all three, about a digest and a key that were drawn for it and mean nothing. */
export async function trySigner(
  signer: NodeKeyHolder,
  holder: string,
  { clock, random, recover }: { readonly clock: Clock; readonly random: Random; readonly recover: Recover },
): Promise<TriedSigner> {
  const publicKey = await signer.publicKey()
  const key = createCheckedNodeKey(publicKey, signer, recover, holder)
  const other = keyAgreement(privateKeyFromRandom('secp256k1', random.randomBytes(KEY_RANDOM_BYTES)))
  if (!equalBytes(await key.ecdh(other.publicKey), other.shared(publicKey))) {
    throw signerFault(
      'SIGNER_REFUSED',
      `${holder} does not agree with other nodes on a key: its answer to ecdh must be the x coordinate of the common point, not a hash of it, for the key that it names with publicKey.`,
    )
  }
  const startMs = clock.monotonicMs()
  await key.sign(random.randomBytes(HASH_BYTES))
  return { publicKey, signMs: clock.monotonicMs() - startMs }
}
