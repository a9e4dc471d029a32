/** The hash that identifies a block, which depends on its consensus protocol. */

import type { GenesisConsensus } from '#types/genesis/genesis-consensus.ts'
import type { Hash } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { bftBlockHash, legacyIbftBlockHash } from './bft-header-hash.ts'
import { type BlockHeader, hashHeader } from './block-header.ts'

/** Throws a Fault if the header does not belong to the network. */
export type HashBlock = (header: BlockHeader) => Hash

/** The block hash function of a network with these protocols. */
export function blockHashOf(consensus: GenesisConsensus, keccak: Keccak = keccak256): HashBlock {
  switch (consensus.protocol) {
    case 'qbft':
    case 'ibft2': {
      const { protocol } = consensus
      return (header) => bftBlockHash(protocol, header, keccak)
    }
    case 'ibft':
      return (header) => legacyIbftBlockHash(header, keccak)
    case 'migration': {
      const { past, startBlock } = consensus
      const ofPast = blockHashOf(
        past.protocol === 'ibft2' ? past : { protocol: 'ibft', ibft: past.ibft },
        keccak,
      )
      return (header) => (header.number < startBlock ? ofPast(header) : bftBlockHash('qbft', header, keccak))
    }
    default:
      return (header) => hashHeader(header, keccak)
  }
}
