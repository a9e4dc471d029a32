/** Performs the machine's block requests with the writer thread. */

import { type InvalidBlock, invalidBlock } from '#chain/block/stages.ts'
import { type BuildingSettings, MAX_EXTRA_DATA_BYTES } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import { shareBytes } from '#platform/share-bytes.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type BftVote, encodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { bftTemplate } from './bft/block-template.ts'
import { bftProtocolAt, bftSettingsAt } from './bft/protocol-at.ts'
import type { BlockWork, BuildOrder } from './driver-parts.ts'

const SECOND_MS = 1_000

export interface BlockWorkOptions {
  readonly writer: Pick<ChainWriter, 'build' | 'validate' | 'importBlock' | 'keccak'>
  readonly config: GenesisConfig
  /** The coinbase of this node's blocks. */
  readonly address: Address
  /** The settings for the next block. */
  readonly building: () => Pick<BuildingSettings, 'targetGasLimit' | 'extraData'>
  /** --min-gas-price at start, which is the base fee if the genesis file has fixedBaseFee. */
  readonly fixedBaseFeeWei: bigint
  /** --poa-block-txs-selection-max-time, in percent of the block period. */
  readonly selectionMaxTime: number
  readonly candidates: CandidateSource
  /** The validator vote for the next block. */
  readonly nextVote: () => BftVote | null
}

export function createBlockWork(options: BlockWorkOptions): BlockWork {
  const { writer, address, building, fixedBaseFeeWei, candidates } = options
  return {
    build: async (order, signal, waitForMore) => {
      const template = bftTemplate({
        parent: order.parent,
        timestamp: BigInt(order.timestampSeconds),
        coinbase: address,
        extraData: bftExtraData(options, order),
        targetGasLimit: building().targetGasLimit,
        fixedBaseFeeWei,
      })
      const budgetMs = budgetMsOf(options, order)
      const built = await writer.build(template, candidates, { signal, budgetMs, waitForMore })
      return built.block
    },
    validate: async (block, signal) => {
      try {
        return await writer.validate(await shareBytes(block), 'light', { signal })
      } catch (error) {
        return refuseUndecodable(error)
      }
    },
    keccak: async (pieces) => writer.keccak(await Promise.all(pieces.map(shareBytes))),
    importBlock: async (block) => writer.importBlock(await shareBytes(block), 'full'),
  }
}

/** Only the writer decodes bodies; an undecodable body is the proposer's fault. */
function refuseUndecodable(error: unknown): InvalidBlock {
  if (!(error instanceof Fault) || error.kind !== 'INVALID_BLOCK') throw error
  return invalidBlock('INVALID_BODY', error.data.sentence)
}

function budgetMsOf({ config, selectionMaxTime }: BlockWorkOptions, order: BuildOrder): number {
  const at = { number: BigInt(order.height), timestamp: BigInt(order.timestampSeconds) }
  const { blockPeriodMilliseconds, blockPeriodSeconds } = bftSettingsAt(config, at)
  const periodMs = blockPeriodMilliseconds > 0 ? blockPeriodMilliseconds : blockPeriodSeconds * SECOND_MS
  return (periodMs * selectionMaxTime) / 100
}

/** If a contract names the validators, headers contain neither validators nor votes. */
export function bftExtraData(
  {
    config,
    building,
    nextVote,
  }: Pick<BlockWorkOptions, 'config' | 'nextVote'> & {
    readonly building: () => Pick<BuildingSettings, 'extraData'>
  },
  order: Pick<BuildOrder, 'height' | 'round' | 'timestampSeconds' | 'validators'>,
): Uint8Array {
  const { height, round, timestampSeconds, validators } = order
  const vanity = vanityOf(building().extraData)
  const at = { number: BigInt(height), timestamp: BigInt(timestampSeconds) }
  const { protocol } = bftProtocolAt(config.consensus, at.number)
  assert(protocol !== 'ibft', 'Legacy IBFT blocks are only imported.')
  const isByContract = bftSettingsAt(config, at).validatorContract !== undefined
  const named = isByContract ? { validators: [], vote: null } : { validators, vote: nextVote() }
  return encodeBftExtraData(protocol, { vanity, ...named, round, seals: [] })
}

/** Right-aligned in 32 bytes, like Besu. */
function vanityOf(extraData: Uint8Array): Uint8Array {
  assert(extraData.length <= MAX_EXTRA_DATA_BYTES, 'Extra data is as long as the vanity at most.')
  const vanity = new Uint8Array(VANITY_BYTES)
  vanity.set(extraData, VANITY_BYTES - extraData.length)
  return vanity
}
