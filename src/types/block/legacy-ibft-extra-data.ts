/** The extra data of legacy IBFT: 32 bytes of vanity, then the list of validators, proposer seal, commit seals. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { bytesFromRlp, decodeRlp, encodeRlp, listFromRlp, type RlpItem, type RlpLimits } from '#types/rlp.ts'
import { VANITY_BYTES } from './bft-extra-data.ts'

export interface LegacyIbftExtraData {
  readonly vanity: Uint8Array
  readonly validators: readonly Address[]
  /** 65 bytes, or none where nobody has signed yet. */
  readonly proposerSeal: Uint8Array
  readonly commitSeals: readonly Uint8Array[]
}

/** Room for some ten thousand validators with their seals. */
const LIMITS: RlpLimits = { maxDepth: 2, maxItems: 25_000, maxBytes: 1024 * 1024 }

export function decodeLegacyIbftExtraData(bytes: Uint8Array): LegacyIbftExtraData {
  try {
    const list = decodeRlp(bytes.subarray(VANITY_BYTES), LIMITS)
    const [validators, proposerSeal, commitSeals] = listFromRlp(list, 3) as readonly [
      RlpItem,
      RlpItem,
      RlpItem,
    ]
    return {
      vanity: bytes.subarray(0, VANITY_BYTES),
      validators: listFromRlp(validators).map(addressFromRlp),
      proposerSeal: bytesFromRlp(proposerSeal, proposerSeal.length === 0 ? 0 : SIGNATURE_BYTES),
      commitSeals: listFromRlp(commitSeals).map((item) => bytesFromRlp(item, SIGNATURE_BYTES)),
    }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `The extra data is not that of legacy IBFT. ${cause.data.sentence}`
    throw new Fault('INVALID_EXTRA_DATA', { sentence }, { cause })
  }
}

export function encodeLegacyIbftExtraData(extraData: LegacyIbftExtraData): Uint8Array {
  const { vanity, validators, proposerSeal, commitSeals } = extraData
  return concatBytes(vanity, encodeRlp([validators.map(addressToBytes), proposerSeal, commitSeals]))
}

/** What the hash of a block is made of. */
export function withoutCommitSeals(bytes: Uint8Array): Uint8Array {
  return encodeLegacyIbftExtraData({ ...decodeLegacyIbftExtraData(bytes), commitSeals: [] })
}
