/** The extra data of legacy IBFT: 32 bytes of vanity, then the list of validators, proposer seal, commit seals. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { withFaultContext } from '#types/fault.ts'
import { bytesFromRlp, decodeRlp, encodeRlp, listFromRlp, type RlpLimits } from '#types/rlp.ts'
import { VANITY_BYTES } from './bft-extra-data.ts'

export interface LegacyIbftExtraData {
  readonly vanity: Uint8Array
  readonly validators: readonly Address[]
  /** 65 bytes, or none before the proposer has signed. */
  readonly proposerSeal: Uint8Array
  readonly commitSeals: readonly Uint8Array[]
}

/** Room for some ten thousand validators with their seals. */
const LIMITS: RlpLimits = { maxDepth: 2, maxItems: 25_000, maxBytes: 1024 * 1024 }

export function decodeLegacyIbftExtraData(bytes: Uint8Array): LegacyIbftExtraData {
  return withFaultContext('INVALID_EXTRA_DATA', 'The extra data is not valid for legacy IBFT.', () => {
    const list = decodeRlp(bytes.subarray(VANITY_BYTES), LIMITS)
    const [validators, proposerSeal, commitSeals] = listFromRlp(list, 3)
    return {
      vanity: bytes.subarray(0, VANITY_BYTES),
      validators: listFromRlp(validators).map(addressFromRlp),
      proposerSeal: bytesFromRlp(proposerSeal, proposerSeal.length === 0 ? 0 : SIGNATURE_BYTES),
      commitSeals: listFromRlp(commitSeals).map((item) => bytesFromRlp(item, SIGNATURE_BYTES)),
    }
  })
}

export function encodeLegacyIbftExtraData(extraData: LegacyIbftExtraData): Uint8Array {
  const { vanity, validators, proposerSeal, commitSeals } = extraData
  return concatBytes(vanity, encodeRlp([validators.map(addressToBytes), proposerSeal, commitSeals]))
}

/** The extra data that the block hash covers. */
export function withoutCommitSeals(bytes: Uint8Array): Uint8Array {
  return encodeLegacyIbftExtraData({ ...decodeLegacyIbftExtraData(bytes), commitSeals: [] })
}
