/** The protocol and settings of a block: a network may migrate from one protocol to another and change by transitions. */

import type { NextValidators } from '#chain/write/head-change.ts'
import { bftTransitionsAt } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { BftConfig, LegacyIbftConfig } from '#types/genesis/genesis-bft.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { type GenesisConsensus, votingProtocols } from '#types/genesis/genesis-consensus.ts'
import type { HeightContext } from './events.ts'

export type BftProtocolAt =
  | { readonly protocol: BftProtocol; readonly config: BftConfig; readonly startBlock: bigint }
  /** Legacy IBFT, whose blocks are only read. */
  | { readonly protocol: 'ibft'; readonly config: LegacyIbftConfig; readonly startBlock: bigint }

/** Whether this room knows the validators of the network. */
export function isBftNetwork(consensus: GenesisConsensus): boolean {
  return consensus.protocol === 'ibft' || votingProtocols(consensus).length > 0
}

export function bftProtocolAt(consensus: GenesisConsensus, number: bigint): BftProtocolAt {
  switch (consensus.protocol) {
    case 'qbft':
      return { protocol: 'qbft', config: consensus.qbft, startBlock: 0n }
    case 'ibft2':
      return { protocol: 'ibft2', config: consensus.ibft2, startBlock: 0n }
    case 'ibft':
      return { protocol: 'ibft', config: consensus.ibft, startBlock: 0n }
    case 'migration': {
      const { past, startBlock, qbft } = consensus
      if (number >= startBlock) return { protocol: 'qbft', config: qbft, startBlock }
      if (past.protocol === 'ibft2') return { protocol: 'ibft2', config: past.ibft2, startBlock: 0n }
      return { protocol: 'ibft', config: past.ibft, startBlock: 0n }
    }
    default:
      assert(false, `The blocks of ${consensus.protocol} are not made by validators.`)
  }
}

/** The settings that transitions may change. */
export interface BftSettings {
  readonly blockPeriodSeconds: number
  /** 0 if the period in seconds applies. */
  readonly blockPeriodMilliseconds: number
  /** 0 if empty blocks are not delayed. */
  readonly emptyBlockPeriodSeconds: number
  /** The contract that names the validators; undefined if headers do. */
  readonly validatorContract: Address | undefined
}

export function bftSettingsAt(
  config: GenesisConfig,
  at: { readonly number: bigint; readonly timestamp: bigint },
): BftSettings {
  const active = bftProtocolAt(config.consensus, at.number)
  if (active.protocol === 'ibft') {
    const { blockPeriodSeconds } = active.config
    return {
      blockPeriodSeconds,
      blockPeriodMilliseconds: 0,
      emptyBlockPeriodSeconds: 0,
      validatorContract: undefined,
    }
  }
  const { config: first } = active
  let settings: BftSettings = {
    blockPeriodSeconds: first.blockPeriodSeconds,
    blockPeriodMilliseconds: first.blockPeriodMilliseconds,
    emptyBlockPeriodSeconds: first.emptyBlockPeriodSeconds,
    validatorContract: first.validatorContractAddress,
  }
  for (const transition of bftTransitionsAt(config, at)) {
    const { validatorSource } = transition
    settings = {
      blockPeriodSeconds: transition.blockPeriodSeconds ?? settings.blockPeriodSeconds,
      blockPeriodMilliseconds: transition.blockPeriodMilliseconds ?? settings.blockPeriodMilliseconds,
      emptyBlockPeriodSeconds: transition.emptyBlockPeriodSeconds ?? settings.emptyBlockPeriodSeconds,
      validatorContract:
        validatorSource === undefined
          ? settings.validatorContract
          : validatorSource === 'blockheader'
            ? undefined
            : validatorSource.contract,
    }
  }
  return settings
}

/** An epoch block resets votes, and its header lists the validators. */
export function isEpochBlock({ config, startBlock }: BftProtocolAt, number: bigint): boolean {
  // The block before the first of QBFT counts: it lists the validators at the end of the old protocol.
  const first = startBlock === 0n ? 0n : startBlock - 1n
  return number >= first && (number - first) % config.epochLength === 0n
}

const SECOND_MS = 1_000

/** Returns undefined if no one makes the next block: it is legacy IBFT, or the last validator was voted out. */
export function heightContextOf(config: GenesisConfig, next: NextValidators): HeightContext | undefined {
  const { parent, validators } = next
  const number = BigInt(parent.number + 1)
  const active = bftProtocolAt(config.consensus, number)
  if (active.protocol === 'ibft' || validators.length === 0) return undefined
  const settingsAt = (timestamp: number) => bftSettingsAt(config, { number, timestamp: BigInt(timestamp) })
  const settings = settingsAt(parent.timestamp)
  // The block may fall after a transition by time that changes its period; the longer period applies.
  const then = settingsAt(parent.timestamp + settings.blockPeriodSeconds)
  const seconds = Math.max(settings.blockPeriodSeconds, then.blockPeriodSeconds)
  return {
    height: parent.number + 1,
    parent: { hash: parent.hash, timestampSeconds: parent.timestamp, coinbase: parent.coinbase },
    validators,
    period:
      settings.blockPeriodMilliseconds > 0 ? { milliseconds: settings.blockPeriodMilliseconds } : { seconds },
    emptyBlockPeriodSeconds: settings.emptyBlockPeriodSeconds,
    requestTimeoutMs: active.config.requestTimeoutSeconds * SECOND_MS,
  }
}
