/**
 * The hashes of headers on BFT networks. Signatures of validators (seals) are part of the header, so the hash that they
 * sign leaves the seals out; the hash that identifies the block leaves out the round as well, because a block may
 * be sealed in any round. Block 0 is hashed as it stands. The hash of all bytes (hashHeader) identifies no block here.
 */

import type { Hash } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import {
  type BftEncoding,
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
} from './bft-extra-data.ts'
import { type BlockHeader, hashHeader } from './block-header.ts'
import { withoutCommitSeals } from './legacy-ibft-extra-data.ts'

/** The hash by which a block is known: the same in every round and with any seals. */
export function bftBlockHash(protocol: BftProtocol, header: BlockHeader, keccak: Keccak = keccak256): Hash {
  return bftHash(protocol, header, 'forHash', keccak)
}

/** What validators sign for their commit seals, and name in their messages. */
export function bftCommittedSealHash(
  protocol: BftProtocol,
  header: BlockHeader,
  keccak: Keccak = keccak256,
): Hash {
  return bftHash(protocol, header, 'withoutSeals', keccak)
}

/** Legacy IBFT, the past of some QBFT networks: the commit seals are left out. */
export function legacyIbftBlockHash(header: BlockHeader, keccak: Keccak = keccak256): Hash {
  if (header.number === 0n) return hashHeader(header, keccak)
  return hashHeader({ ...header, extraData: withoutCommitSeals(header.extraData) }, keccak)
}

function bftHash(protocol: BftProtocol, header: BlockHeader, encoding: BftEncoding, keccak: Keccak): Hash {
  if (header.number === 0n) return hashHeader(header, keccak)
  const content = decodeBftExtraData(protocol, header.extraData)
  return hashHeader({ ...header, extraData: encodeBftExtraData(protocol, content, encoding) }, keccak)
}
