/** Which protocol makes a block, and with which settings: a network may go from one to another, and change by transitions. */
import { bftTransitionsAt } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { BftConfig, LegacyIbftConfig } from '#types/genesis/genesis-bft.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { type GenesisConsensus, votingProtocols } from '#types/genesis/genesis-consensus.ts'

export type BftProtocolAt =
  | { readonly protocol: BftProtocol; readonly config: BftConfig; readonly startBlock: bigint }
  /** Legacy IBFT, whose blocks are only read. */
  | { readonly protocol: 'ibft'; readonly config: LegacyIbftConfig; readonly startBlock: bigint }

/** Whether the networks of a genesis file are made by validators that this room knows. */
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

/** What transitions may change. */
export interface BftSettings {
  readonly blockPeriodSeconds: number
  /** 0: the period in seconds holds. */
  readonly blockPeriodMilliseconds: number
  /** 0: blocks without transactions are made like others. */
  readonly emptyBlockPeriodSeconds: number
  /** The contract that names the validators; undefined: block headers do. */
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

/** At such a block votes are forgotten, and the validators are those that its header lists. */
export function isEpochBlock({ config, startBlock }: BftProtocolAt, number: bigint): boolean {
  // The block before the first of QBFT counts: the past ends with the validators that it lists.
  const first = startBlock === 0n ? 0n : startBlock - 1n
  return number >= first && (number - first) % config.epochLength === 0n
}
