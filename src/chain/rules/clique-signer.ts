/** Recovers the signer of a Clique block from its seal, for networks that migrated from Clique. */

import { chainFault } from '#chain/faults.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { type BlockHeader, encodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey } from '#types/curve.ts'

/** Length of the seal at the end of the extra data. */
const SEAL_BYTES = 65

export function cliqueSigner(header: BlockHeader, { keccak, recover }: Crypto): Address {
  const end = header.extraData.length - SEAL_BYTES
  if (end < 0) {
    const sentence = `Block ${header.number} has no seal of clique in its extra data.`
    throw chainFault('IMPORT_REFUSED', { sentence })
  }
  const unsealed = encodeHeader({ ...header, extraData: header.extraData.subarray(0, end) })
  return addressFromPublicKey(recover(keccak(unsealed), header.extraData.subarray(end)), keccak)
}
