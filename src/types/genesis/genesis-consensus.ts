/** Which engine makes the blocks. A file may hold several sections; the order here is Besu's. */
import { type BftConfig, type LegacyIbftConfig, readBftConfig, readLegacyIbft } from './genesis-bft.ts'
import type { GenesisSection } from './genesis-section.ts'

export type Consensus =
  | { readonly engine: 'qbft'; readonly qbft: BftConfig }
  | { readonly engine: 'ibft2'; readonly ibft2: BftConfig }
  | Migration
  | { readonly engine: 'ethash'; readonly fixedDifficulty: bigint | undefined }
  | { readonly engine: 'clique'; readonly clique: CliqueConfig }
  | { readonly engine: 'ibft'; readonly ibft: LegacyIbftConfig }
  /** No section names one. */
  | { readonly engine: 'none' }

/** QBFT from `startBlock` on; the blocks below are those of an older engine. */
export interface Migration {
  readonly engine: 'migration'
  readonly past:
    | { readonly engine: 'ibft2'; readonly ibft2: BftConfig }
    | { readonly engine: 'ibft'; readonly ibft: LegacyIbftConfig }
  readonly startBlock: bigint
  readonly qbft: BftConfig
}

/** Only as the past of a network that is proof of stake now. */
export interface CliqueConfig {
  readonly epochLength: bigint
  readonly blockPeriodSeconds: number
  readonly createEmptyBlocks: boolean
}

export function readConsensus(config: GenesisSection): Consensus {
  const hasIbft2 = config.has('ibft2')
  const hasLegacyIbft = config.has('ibft')
  if (config.has('qbft') && (hasIbft2 || hasLegacyIbft)) return readMigration(config)
  if (config.has('ethash')) {
    return { engine: 'ethash', fixedDifficulty: config.section('ethash')?.long('fixeddifficulty') }
  }
  if (hasIbft2) return { engine: 'ibft2', ibft2: readBftConfig(config, 'ibft2', config.section('ibft2')) }
  if (hasLegacyIbft) return { engine: 'ibft', ibft: readLegacyIbft(config.section('ibft')) }
  if (config.has('qbft')) {
    return { engine: 'qbft', qbft: readBftConfig(config, 'qbft', config.section('qbft')) }
  }
  return config.has('clique') ? { engine: 'clique', clique: readClique(config) } : { engine: 'none' }
}

/** The sections that take part, newest first; more than one in a migration. */
export function enginesOf(consensus: Consensus): readonly string[] {
  return consensus.engine === 'migration' ? ['qbft', consensus.past.engine] : [consensus.engine]
}

/**
 * Why no node can run on a file that is well-formed otherwise and gives a block 0; undefined if one can.
 */
export function refuseConsensus(consensus: Consensus, isProofOfStake: boolean): string | undefined {
  switch (consensus.engine) {
    case 'none':
      return 'No consensus engine is named; add a qbft section to config.'
    case 'ibft':
      return 'Legacy IBFT is supported only as the past of QBFT; add a qbft section with its startblock.'
    case 'clique':
      if (isProofOfStake) return undefined
      return 'Clique is supported only as the past of proof of stake; use qbft, or add terminalTotalDifficulty.'
    default:
      return undefined
  }
}

function readMigration(config: GenesisSection): Migration {
  const qbftSection = config.section('qbft')
  const startBlock = qbftSection?.long('startblock', 1n)
  if (qbftSection !== undefined && qbftSection.value('startblock') === undefined) {
    const sentence = 'Beside an IBFT section QBFT needs the number of its first block; add "startblock".'
    qbftSection.refuse('startblock', sentence)
  }
  const past: Migration['past'] = config.has('ibft2')
    ? { engine: 'ibft2', ibft2: readBftConfig(config, 'ibft2', config.section('ibft2')) }
    : { engine: 'ibft', ibft: readLegacyIbft(config.section('ibft')) }
  return {
    engine: 'migration',
    past,
    startBlock: startBlock ?? 1n,
    qbft: readBftConfig(config, 'qbft', qbftSection),
  }
}

function readClique(config: GenesisSection): CliqueConfig {
  const section = config.section('clique')
  return {
    epochLength: section?.long('epochlength', 1n) ?? 30_000n,
    blockPeriodSeconds: section?.positiveInt('blockperiodseconds') ?? 15,
    createEmptyBlocks: section?.boolean('createemptyblocks') ?? true,
  }
}
