/** EIP-1559: what gas costs at least in the next block. */
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { INITIAL_BASE_FEE_WEI } from '#types/genesis/genesis-header.ts'

/** The limit is this much above what a block should use. */
export const ELASTICITY = 2n
const MAX_CHANGE_DENOMINATOR = 8n

export type FeeParent = Pick<BlockHeader, 'gasLimit' | 'gasUsed' | 'baseFeePerGas'>

/** The base fee of a block with `rules` whose parent is not of London yet, or is. undefined: it has none. */
export function nextBaseFee(
  genesis: Genesis,
  rules: Rules,
  parent: FeeParent,
  isFirstOfLondon: boolean,
): bigint | undefined {
  if (!rules.has('london')) return undefined
  if (genesis.config.zeroBaseFee) return 0n
  if (isFirstOfLondon || parent.baseFeePerGas === undefined) {
    return genesis.header.baseFeePerGas ?? INITIAL_BASE_FEE_WEI
  }
  return changedBaseFee(parent.baseFeePerGas, parent.gasUsed, parent.gasLimit / ELASTICITY)
}

function changedBaseFee(fee: bigint, gasUsed: bigint, target: bigint): bigint {
  if (gasUsed === target || target === 0n) return fee
  const distance = gasUsed > target ? gasUsed - target : target - gasUsed
  const change = (fee * distance) / target / MAX_CHANGE_DENOMINATOR
  if (gasUsed < target) return fee - change
  return fee + (change > 1n ? change : 1n)
}
