import { type Address, addressFromRlp } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'
import { decodeRlp, listFromRlp } from '#types/rlp.ts'
import type { Genesis } from './genesis.ts'

export const HOW_TO_ENCODE = "Make it with 'cairn rlp encode' from the list of validator addresses."

/** The validators that block 0 names, or a sentence that says why its extra data names none. */
export function decodeGenesisValidators(
  protocol: BftProtocol | 'ibft',
  extraData: Uint8Array,
): readonly Address[] | string {
  try {
    return protocol === 'ibft'
      ? legacyValidators(extraData)
      : decodeBftExtraData(protocol, extraData).validators
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `${error.data.sentence} ${HOW_TO_ENCODE}`
  }
}

/** Why a BFT network cannot start from this block 0: no validator set would be known. */
export function refuseExtraData({ header, config: { consensus } }: Genesis): string | undefined {
  const protocol = consensus.protocol === 'migration' ? consensus.past.protocol : consensus.protocol
  if (protocol !== 'qbft' && protocol !== 'ibft2' && protocol !== 'ibft') return undefined
  const found = decodeGenesisValidators(protocol, header.extraData)
  return typeof found === 'string' ? found : undefined
}

/** Legacy IBFT: 32 bytes of vanity, then a list of validators, proposer seal and commit seals. */
function legacyValidators(extraData: Uint8Array): Address[] {
  const [validators = []] = listFromRlp(decodeRlp(extraData.subarray(VANITY_BYTES)), 3)
  return listFromRlp(validators).map(addressFromRlp)
}
