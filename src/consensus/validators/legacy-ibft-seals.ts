/** Recovers the signers of legacy IBFT blocks. */
import type { Crypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { legacyIbftBlockHash } from '#types/block/bft-header-hash.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import { decodeLegacyIbftExtraData, encodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'

type SealCrypto = Pick<Crypto, 'keccak' | 'recover'>

/** The message code of a commit, which its seal signs with the hash. */
const COMMIT = Uint8Array.of(2)
const NO_SEAL = new Uint8Array(0)

/** Throws a fault if no key can have made the seal. */
export function legacyIbftProposer(header: BlockHeader, { keccak, recover }: SealCrypto): Address {
  const content = decodeLegacyIbftExtraData(header.extraData)
  const extraData = encodeLegacyIbftExtraData({ ...content, proposerSeal: NO_SEAL, commitSeals: [] })
  const proposed = hashToBytes(hashHeader({ ...header, extraData }, keccak))
  return addressFromPublicKey(recover(keccak(proposed), content.proposerSeal), keccak)
}

export function legacyIbftCommitters(header: BlockHeader, { keccak, recover }: SealCrypto): Address[] {
  const hash = hashToBytes(legacyIbftBlockHash(header, keccak))
  const signed = keccak(concatBytes(hash, COMMIT))
  const { commitSeals } = decodeLegacyIbftExtraData(header.extraData)
  return commitSeals.map((seal) => addressFromPublicKey(recover(signed, seal), keccak))
}
