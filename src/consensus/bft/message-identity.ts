import { addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import type { BftMessage } from './messages.ts'

/** Bytes of an access list, which is not verified. */
const ACCESS_LIST_BYTES = 1024

/**
 * A short identity of a message for gossip. The signature and its author cover the signed part. The rest was verified before:
 * one valid justification is as good as another, and only one body fits a header.
 */
export function messageIdentity(message: BftMessage): Uint8Array {
  const { author, encoded } = message.signed
  // `[payload, signature]` ends with the signature.
  const signature = [encoded.subarray(-SIGNATURE_BYTES), addressToBytes(author)]
  if (message.kind === 'prepare' || message.kind === 'commit') return concatBytes(...signature)
  const generation = Uint8Array.of(message.generation === 'legacy' ? 0 : 1)
  const accessList = message.block?.accessList?.subarray(0, ACCESS_LIST_BYTES) ?? new Uint8Array(0)
  return concatBytes(...signature, generation, accessList)
}
