/** Header rules of QBFT and IBFT 2.0 in addition to those of every chain. */

import { legacyIbftCommitters, legacyIbftProposer } from '#consensus/validators/legacy-ibft-seals.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import {
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
  VANITY_BYTES,
} from '#types/block/bft-extra-data.ts'
import { BFT_DIFFICULTY, BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { quorumOf, toleratedFaults } from '#types/block/bft-quorum.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import { decodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import { equalBytes } from '#types/bytes.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import type { BftSettings } from './protocol-at.ts'

export interface BftHeaderContext {
  readonly header: BlockHeader
  readonly parent: BlockHeader
  /** The validators of the block, sorted. */
  readonly validators: readonly Address[]
  readonly settings: BftSettings
  /** Unix time. */
  readonly nowMs: number
  /** False for a proposal, which has no seals yet. */
  readonly hasSeals: boolean
  readonly crypto: Pick<Crypto, 'keccak' | 'recover'>
}

/** Maximum seconds a header may be ahead of our clock, because its proposer's may be. */
const MAX_AHEAD_SECONDS = 1

/** Returns the problem, or undefined. May throw a fault if extra data or seals are malformed. */
export function refuseBftHeader(protocol: BftProtocol, context: BftHeaderContext): string | undefined {
  return (
    refuseConstants(context.header) ??
    refuseNonce(context.header) ??
    refuseTime(context) ??
    refuseEncoding(protocol, context.header) ??
    refuseValidators(protocol, context) ??
    refuseSealCount(protocol, context) ??
    refuseSeals(protocol, context)
  )
}

export function refuseConstants({ mixHash, difficulty, ommersHash }: BlockHeader): string | undefined {
  if (mixHash !== BFT_MIX_HASH) return `The mix hash is ${mixHash}, and not ${BFT_MIX_HASH}.`
  if (difficulty !== BFT_DIFFICULTY) return `The difficulty is ${difficulty}, and not ${BFT_DIFFICULTY}.`
  return ommersHash === EMPTY_OMMERS_HASH
    ? undefined
    : 'The header names ommers, which BFT networks do not have.'
}

/** Besu checks it only for IBFT 2.0; legacy IBFT votes with it. */
function refuseNonce({ nonce }: BlockHeader): string | undefined {
  return nonce === 0n ? undefined : `The nonce is ${nonce}, and not 0.`
}

/**
 * The block hash does not cover the seals, the round and extra items of QBFT extra data, which Besu ignores: any peer could pad
 * them and have us store and serve its bytes. Besu writes the canonical form with a 32-byte vanity.
 */
export function refuseEncoding(protocol: BftProtocol, { extraData }: BlockHeader): string | undefined {
  const content = decodeBftExtraData(protocol, extraData)
  const { length } = content.vanity
  if (length !== VANITY_BYTES) return `The vanity has ${length} bytes, and not ${VANITY_BYTES}.`
  if (equalBytes(encodeBftExtraData(protocol, content), extraData)) return undefined
  return 'The extra data is not in canonical form.'
}

/**
 * Headers count in seconds. If blocks are closer together, the time may go back by as much as it may be ahead of a clock: an
 * honest proposer after one with a fast clock writes an earlier time. Besu has no lower bound here.
 */
export function refuseTime({ header, parent, settings, nowMs }: BftHeaderContext): string | undefined {
  const latest = BigInt(Math.floor(nowMs / 1000) + MAX_AHEAD_SECONDS)
  if (header.timestamp > latest) return `The time ${header.timestamp} is in the future; it may be ${latest}.`
  const { blockPeriodSeconds, blockPeriodMilliseconds } = settings
  const apart = blockPeriodMilliseconds > 0 ? Math.floor(blockPeriodMilliseconds / 1000) : blockPeriodSeconds
  const earliest = parent.timestamp + BigInt(apart === 0 ? -MAX_AHEAD_SECONDS : apart)
  if (header.timestamp >= earliest) return undefined
  return `The time ${header.timestamp} is too early: blocks are ${apart} s apart, and the earliest time is ${earliest}.`
}

function refuseValidators(
  protocol: BftProtocol,
  { header, validators, settings }: BftHeaderContext,
): string | undefined {
  const { validators: listed, vote } = decodeBftExtraData(protocol, header.extraData)
  if (settings.validatorContract !== undefined) {
    if (listed.length > 0 || vote !== null) return 'It lists validators or votes, and a contract names them.'
  } else if (listed.length !== validators.length || listed.some((one, index) => one !== validators[index])) {
    return `It lists the validators ${listed.join(', ')}, and they are ${validators.join(', ')}.`
  }
  if (validators.includes(header.coinbase)) return undefined
  return `Proposer ${header.coinbase} is not a validator.`
}

/** A proposal may have unchecked seals, but no more than can count. */
function refuseSealCount(
  protocol: BftProtocol,
  { header, validators }: BftHeaderContext,
): string | undefined {
  const { seals } = decodeBftExtraData(protocol, header.extraData)
  if (seals.length <= validators.length) return undefined
  return `It has ${seals.length} seals, and there are ${validators.length} validators.`
}

function refuseSeals(
  protocol: BftProtocol,
  { header, validators, hasSeals, crypto }: BftHeaderContext,
): string | undefined {
  if (!hasSeals) return undefined
  const { seals } = decodeBftExtraData(protocol, header.extraData)
  const needed = quorumOf(validators.length)
  if (seals.length < needed) return `It has ${seals.length} seals, and ${needed} are needed.`
  return refuseSigners(recoverSealers(protocol, header, seals, crypto), validators)
}

/** The addresses whose keys made the commit seals, in the order of the seals. */
export function recoverSealers(
  protocol: BftProtocol,
  header: BlockHeader,
  seals: readonly Uint8Array[],
  { keccak, recover }: Pick<Crypto, 'keccak' | 'recover'>,
): readonly Address[] {
  const signed = hashToBytes(bftCommittedSealHash(protocol, header, keccak))
  return seals.map((seal) => addressFromPublicKey(recover(signed, seal), keccak))
}

/** Each validator counts once, and no one else. */
export function refuseSigners(
  signers: readonly Address[],
  validators: readonly Address[],
): string | undefined {
  const stranger = signers.find((signer) => !validators.includes(signer))
  if (stranger !== undefined) return `It has a seal of ${stranger}, which is not a validator.`
  return new Set(signers).size === signers.length ? undefined : 'Two seals are of one validator.'
}

/** Checks a legacy IBFT header, which is only read as the past of a QBFT network. Otherwise like `refuseBftHeader`. */
export function refuseLegacyIbftHeader(context: BftHeaderContext): string | undefined {
  return refuseConstants(context.header) ?? refuseTime(context) ?? refuseLegacyValidators(context)
}

function refuseLegacyValidators({
  header,
  validators,
  hasSeals,
  crypto,
}: BftHeaderContext): string | undefined {
  const { validators: listed, commitSeals } = decodeLegacyIbftExtraData(header.extraData)
  if (listed.toSorted().join() !== validators.join()) {
    return `It lists the validators ${listed.join(', ')}, and they are ${validators.join(', ')}.`
  }
  const proposer = legacyIbftProposer(header, crypto)
  if (!validators.includes(proposer)) return `Proposer ${proposer} is not a validator.`
  if (!hasSeals) return undefined
  // Legacy IBFT required 2f + 1 seals, which is less than today's quorum.
  const needed = 2 * toleratedFaults(validators.length) + 1
  if (commitSeals.length < needed) return `It has ${commitSeals.length} seals, and ${needed} are needed.`
  return refuseSigners(legacyIbftCommitters(header, crypto), validators)
}
