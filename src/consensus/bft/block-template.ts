import type { BlockTemplate } from '#chain/build/build-block.ts'
import { BFT_DIFFICULTY, BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { ZERO_HASH } from '#types/hash.ts'

/** The fields that the proposer decides. */
export type BftProposal = Pick<BlockTemplate, 'parent' | 'timestamp' | 'coinbase' | 'extraData'> & {
  readonly [Name in 'targetGasLimit' | 'fixedBaseFeeWei']?: BlockTemplate[Name]
}

const OF_EVERY_BLOCK = {
  difficulty: BFT_DIFFICULTY,
  mixHash: BFT_MIX_HASH,
  nonce: 0n,
  targetGasLimit: undefined,
  fixedBaseFeeWei: undefined,
  withdrawals: [],
  parentBeaconBlockRoot: ZERO_HASH,
} as const

export function bftTemplate(proposal: BftProposal): BlockTemplate {
  return { ...OF_EVERY_BLOCK, ...proposal }
}
