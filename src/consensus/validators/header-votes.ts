/** Validators and validator votes in a header. */
import { bftProtocolAt } from '#consensus/bft/protocol-at.ts'
import type { Crypto } from '#evm/crypto.ts'
import { type Address, ZERO_ADDRESS } from '#types/address.ts'
import { decodeBftExtraData, decodeBftVote } from '#types/block/bft-extra-data.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { decodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import type { GenesisConsensus } from '#types/genesis/genesis-consensus.ts'
import { legacyIbftProposer } from './legacy-ibft-seals.ts'
import type { CastVote } from './vote-tally.ts'

/** Legacy IBFT: the coinbase is the subject of a vote; this nonce adds it, any other removes it. */
const LEGACY_ADD_NONCE = 2n ** 64n - 1n

/** The validators listed in a header, which are in force for its block if headers name them. */
export function validatorsInHeader(consensus: GenesisConsensus, header: BlockHeader): readonly Address[] {
  const { protocol } = bftProtocolAt(consensus, header.number)
  if (protocol === 'ibft') return decodeLegacyIbftExtraData(header.extraData).validators
  return decodeBftExtraData(protocol, header.extraData).validators
}

export function voteInHeader(
  consensus: GenesisConsensus,
  header: BlockHeader,
  crypto: Pick<Crypto, 'keccak' | 'recover'>,
): CastVote | undefined {
  const { protocol } = bftProtocolAt(consensus, header.number)
  const { coinbase } = header
  if (protocol !== 'ibft') {
    const vote = decodeBftVote(protocol, header.extraData)
    return vote === null ? undefined : { ...vote, voter: coinbase }
  }
  if (coinbase === ZERO_ADDRESS) return undefined
  const type = header.nonce === LEGACY_ADD_NONCE ? 'add' : 'drop'
  return { recipient: coinbase, type, voter: legacyIbftProposer(header, crypto) }
}
