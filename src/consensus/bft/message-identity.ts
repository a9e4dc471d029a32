import { addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import type { BftMessage, Payload, Signed } from './messages.ts'

/** Of an access list, which nobody has judged. */
const ACCESS_LIST_BYTES = 1024

/**
 * Few bytes that tell a message from every other that may be passed on. A signature and its author stand for all that is
 * signed; the rest of a certificate is made of such. The body of a block is left out: either it is signed, or it was found
 * true, and then there is no other under its header.
 */
export function messageIdentity(message: BftMessage): Uint8Array {
  const certificates: Signed<Payload>[] = []
  const beside: Uint8Array[] = []
  if (message.kind === 'proposal') certificates.push(...message.roundChanges)
  if (message.kind === 'proposal' || message.kind === 'roundChange') {
    const { block, generation, prepares } = message
    beside.push(Uint8Array.of(certificates.length >> 8, certificates.length, generation === 'legacy' ? 0 : 1))
    certificates.push(...prepares)
    if (block !== undefined) beside.push(hashToBytes(block.digest))
    if (block?.accessList !== undefined) beside.push(block.accessList.subarray(0, ACCESS_LIST_BYTES))
  }
  return concatBytes(...[message.signed, ...certificates].flatMap(markOf), ...beside)
}

/** `[payload, signature]` ends with the signature. */
function markOf({ author, encoded }: Signed<Payload>): Uint8Array[] {
  return [encoded.subarray(-SIGNATURE_BYTES), addressToBytes(author)]
}
