/** The consensus protocol. A file may contain several sections; the precedence is Besu's. */
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { type BftConfig, type LegacyIbftConfig, readBftConfig, readLegacyIbft } from './genesis-bft.ts'
import type { GenesisSection } from './genesis-section.ts'

export type GenesisConsensus =
  | { readonly protocol: 'qbft'; readonly qbft: BftConfig }
  | { readonly protocol: 'ibft2'; readonly ibft2: BftConfig }
  | Migration
  | { readonly protocol: 'ethash'; readonly fixedDifficulty: bigint | undefined }
  | { readonly protocol: 'clique'; readonly clique: CliqueConfig }
  | { readonly protocol: 'ibft'; readonly ibft: LegacyIbftConfig }
  /** No section names a protocol. */
  | { readonly protocol: 'none' }

/** QBFT from `startBlock` on; earlier blocks have an older protocol. */
export interface Migration {
  readonly protocol: 'migration'
  readonly past:
    | { readonly protocol: 'ibft2'; readonly ibft2: BftConfig }
    | { readonly protocol: 'ibft'; readonly ibft: LegacyIbftConfig }
  readonly startBlock: bigint
  readonly qbft: BftConfig
}

/** Only as the past of a proof-of-stake network. */
export interface CliqueConfig {
  readonly epochLength: bigint
  readonly blockPeriodSeconds: number
  readonly createEmptyBlocks: boolean
}

export function readConsensus(config: GenesisSection): GenesisConsensus {
  const hasIbft2 = config.has('ibft2')
  const hasLegacyIbft = config.has('ibft')
  if (config.has('qbft') && (hasIbft2 || hasLegacyIbft)) return readMigration(config)
  if (config.has('ethash')) {
    return { protocol: 'ethash', fixedDifficulty: config.section('ethash')?.long('fixeddifficulty') }
  }
  if (hasIbft2) return { protocol: 'ibft2', ibft2: readBftConfig(config, 'ibft2', config.section('ibft2')) }
  if (hasLegacyIbft) return { protocol: 'ibft', ibft: readLegacyIbft(config.section('ibft')) }
  if (config.has('qbft')) {
    return { protocol: 'qbft', qbft: readBftConfig(config, 'qbft', config.section('qbft')) }
  }
  return config.has('clique') ? { protocol: 'clique', clique: readClique(config) } : { protocol: 'none' }
}

/** The active sections, newest first; more than one in a migration. */
export function protocolsOf(consensus: GenesisConsensus): readonly string[] {
  return consensus.protocol === 'migration' ? ['qbft', consensus.past.protocol] : [consensus.protocol]
}

/** Protocols with validators, oldest first; none without validators or if old blocks are only read (legacy IBFT). */
export function votingProtocols(consensus: GenesisConsensus): readonly BftProtocol[] {
  if (consensus.protocol === 'qbft' || consensus.protocol === 'ibft2') return [consensus.protocol]
  if (consensus.protocol !== 'migration') return []
  return consensus.past.protocol === 'ibft2' ? ['ibft2', 'qbft'] : ['qbft']
}

/** Says why no node can run on a well-formed file; undefined if one can. */
export function refuseConsensus(consensus: GenesisConsensus, isProofOfStake: boolean): string | undefined {
  switch (consensus.protocol) {
    case 'none':
      // As other clients write the files of such networks.
      if (isProofOfStake) return undefined
      return 'No consensus protocol is named; add a qbft section to config.'
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
    const sentence = 'Next to an IBFT section, QBFT needs the number of its first block. Add "startblock".'
    qbftSection.refuse('startblock', sentence)
  }
  const past: Migration['past'] = config.has('ibft2')
    ? { protocol: 'ibft2', ibft2: readBftConfig(config, 'ibft2', config.section('ibft2')) }
    : { protocol: 'ibft', ibft: readLegacyIbft(config.section('ibft')) }
  return {
    protocol: 'migration',
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
