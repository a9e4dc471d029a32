/**
 * The hashes of BFT headers. The header contains the validators' seals, so the hash they sign omits the seals; the
 * hash that identifies the block omits the round as well, because a block may be sealed in any round. Block 0 is
 * hashed unchanged. The hash of all bytes (hashHeader) does not identify a BFT block.
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

/** The hash that identifies a block: the same in every round and with any seals. */
export function bftBlockHash(protocol: BftProtocol, header: BlockHeader, keccak: Keccak = keccak256): Hash {
  return bftHash(protocol, header, 'forHash', keccak)
}

/** The hash that validators sign for their commit seals and name in their messages. */
export function bftCommittedSealHash(
  protocol: BftProtocol,
  header: BlockHeader,
  keccak: Keccak = keccak256,
): Hash {
  return bftHash(protocol, header, 'withoutSeals', keccak)
}

/** Legacy IBFT, from which some QBFT networks migrated: omits the commit seals. */
export function legacyIbftBlockHash(header: BlockHeader, keccak: Keccak = keccak256): Hash {
  if (header.number === 0n) return hashHeader(header, keccak)
  return hashHeader({ ...header, extraData: withoutCommitSeals(header.extraData) }, keccak)
}

function bftHash(protocol: BftProtocol, header: BlockHeader, encoding: BftEncoding, keccak: Keccak): Hash {
  if (header.number === 0n) return hashHeader(header, keccak)
  const content = decodeBftExtraData(protocol, header.extraData)
  return hashHeader({ ...header, extraData: encodeBftExtraData(protocol, content, encoding) }, keccak)
}
