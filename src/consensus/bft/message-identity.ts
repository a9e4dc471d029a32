import { addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import type { BftMessage } from './messages.ts'

/** Of an access list, which nobody has judged. */
const ACCESS_LIST_BYTES = 1024

/**
 * Few bytes that tell a message from every other that may be passed on. A signature and its author stand for all that is
 * signed. What stands beside was judged before: reasons that hold are as good as others that do, and a body that was found
 * true is the only one under its header.
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
