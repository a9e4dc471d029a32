/**
 * Header rules that follow from the parent and the fork schedule. Rules about seals and validators implement the
 * interface in header-rules.ts.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { type BlockHeader, MIN_GAS_LIMIT } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'
import { gasLimitBefore, marketBaseFee, nextBaseFee } from './base-fee.ts'
import { nextDifficulty } from './difficulty.ts'
import { FORKED_FIELDS, headerFormsOf } from './header-form.ts'

const MAX_GAS_LIMIT = 2n ** 63n - 1n
/** A gas limit differs from its parent's by less than 1/1024 of it. */
export const GAS_LIMIT_BOUND_DIVISOR = 1_024n
const MAX_EXTRA_DATA_BYTES = 32

/** Returns the problem as a sentence, or undefined if the header is valid. */
export function refuseHeader(genesis: Genesis, header: BlockHeader, parent: KnownHeader): string | undefined {
  const rules = rulesAt(genesis.config, header)
  const context: HeaderContext = { genesis, rules, parent: parent.header }
  return (
    refuseLink(header, parent) ??
    refuseGas(header, context) ??
    refuseTime(header, context) ??
    refuseFields(header, rules) ??
    refuseFees(header, context) ??
    refuseConsensusFields(header, context)
  )
}

interface HeaderContext {
  readonly genesis: Genesis
  readonly rules: Rules
  readonly parent: BlockHeader
}

function refuseLink(header: BlockHeader, parent: KnownHeader): string | undefined {
  if (header.parentHash !== parent.hash) {
    return `The parent is named ${header.parentHash}, and its hash is ${parent.hash}.`
  }
  if (header.number !== parent.header.number + 1n) {
    return `The number is ${header.number}, and the parent's is ${parent.header.number}.`
  }
  return undefined
}

function refuseGas(header: BlockHeader, { genesis, parent }: HeaderContext): string | undefined {
  const { gasLimit, gasUsed } = header
  if (gasUsed > gasLimit) return `${gasUsed} gas is used, and the limit is ${gasLimit}.`
  if (gasLimit < MIN_GAS_LIMIT || gasLimit > MAX_GAS_LIMIT) {
    return `The gas limit ${gasLimit} is not between ${MIN_GAS_LIMIT} and ${MAX_GAS_LIMIT}.`
  }
  const before = gasLimitBefore(genesis.config, parent)
  const difference = gasLimit > before ? gasLimit - before : before - gasLimit
  if (difference >= before / GAS_LIMIT_BOUND_DIVISOR && difference !== 0n) {
    return `The gas limit ${gasLimit} is too far from the parent's, ${before}.`
  }
  return undefined
}

/** BFT networks may produce several blocks per second; their own rules define the distance. */
function refuseTime(header: BlockHeader, { rules, parent }: HeaderContext): string | undefined {
  if (rules.consensus === 'bft' || header.timestamp > parent.timestamp) return undefined
  return `The time ${header.timestamp} is not after the parent's, ${parent.timestamp}.`
}

function refuseFields(header: BlockHeader, rules: Rules): string | undefined {
  const [form, ...others] = headerFormsOf(rules).map((expected) =>
    FORKED_FIELDS.find((field) => (header[field] !== undefined) !== expected.has(field)),
  )
  if (form === undefined || others.includes(undefined)) return undefined
  const [verb, have] = header[form] === undefined ? ['lacks', 'have'] : ['has', 'do not have']
  return `The header ${verb} ${form}, which blocks of ${rules.fork} ${have}.`
}

function refuseFees(header: BlockHeader, context: HeaderContext): string | undefined {
  return refuseBaseFee(header, context) ?? refuseBlobGas(header, context)
}

/**
 * With fixedBaseFee each validator sets the base fee by option, so it cannot be checked. zeroBaseFee may have been
 * added to the genesis file later: earlier blocks have the market fee.
 */
function refuseBaseFee(header: BlockHeader, { genesis, rules, parent }: HeaderContext): string | undefined {
  const { baseFeePerGas, number } = header
  if (rules.feeMarket === 'fixed') return undefined
  const baseFee = nextBaseFee(genesis, rules, parent, number)
  if (baseFeePerGas === baseFee || baseFeePerGas === marketBaseFee(genesis, rules, parent, number)) {
    return undefined
  }
  return `The base fee is ${baseFeePerGas}, and the parent's gas makes it ${baseFee}.`
}

function refuseBlobGas(header: BlockHeader, { rules, parent }: HeaderContext): string | undefined {
  const { blobGasUsed, excessBlobGas, parentBeaconBlockRoot } = header
  if (rules.blobs === undefined || blobGasUsed === undefined) return undefined
  if (blobGasUsed % GAS_PER_BLOB !== 0n || blobGasUsed > BigInt(rules.blobs.max) * GAS_PER_BLOB) {
    return `The blob gas ${blobGasUsed} is not a multiple for at most ${rules.blobs.max} blobs.`
  }
  const excess = nextExcessBlobGas(rules, parent)
  if (excessBlobGas !== excess) {
    return `The excess blob gas is ${excessBlobGas}, and the parent makes it ${excess}.`
  }
  if (rules.consensus !== 'bft' || parentBeaconBlockRoot === ZERO_HASH) return undefined
  return `The root of the beacon block is ${parentBeaconBlockRoot}, and BFT networks have no beacon chain.`
}

function refuseConsensusFields(header: BlockHeader, context: HeaderContext): string | undefined {
  const { rules } = context
  if (rules.consensus === 'bft' || rules.consensus === 'clique') return undefined
  if (header.extraData.length > MAX_EXTRA_DATA_BYTES) {
    return `The extra data has ${header.extraData.length} bytes, more than ${MAX_EXTRA_DATA_BYTES}.`
  }
  return rules.consensus === 'stake' ? refuseStake(header) : refuseWork(header, context)
}

/** EIP-3675. */
function refuseStake({ difficulty, nonce, ommersHash }: BlockHeader): string | undefined {
  if (difficulty !== 0n) return `The difficulty is ${difficulty}, and not 0 as under proof of stake.`
  if (nonce !== 0n) return `The nonce is ${nonce}, and not 0 as under proof of stake.`
  if (ommersHash === EMPTY_OMMERS_HASH) return undefined
  return 'The header names ommers, which proof of stake does not allow.'
}

function refuseWork(header: BlockHeader, { genesis, rules, parent }: HeaderContext): string | undefined {
  const { consensus } = genesis.config
  const fixed = consensus.protocol === 'ethash' ? consensus.fixedDifficulty : undefined
  const difficulty = fixed ?? nextDifficulty(rules, header.number, header.timestamp, parent)
  if (header.difficulty === difficulty) return undefined
  return `The difficulty is ${header.difficulty}, and the parent makes it ${difficulty}.`
}
