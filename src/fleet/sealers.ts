import type { Address } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'

/** Whose commit seals a header carries: validators that took part in deciding on its block. */
export function sealersOf(protocol: BftProtocol, encodedHeader: Uint8Array): readonly Address[] {
  const header = decodeHeader(encodedHeader)
  const signed = hashToBytes(bftCommittedSealHash(protocol, header))
  const { seals } = decodeBftExtraData(protocol, header.extraData)
  return seals.map((seal) => addressFromPublicKey(recoverPublicKey(signed, seal)))
}
