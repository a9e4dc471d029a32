/** EIP-1559: the minimum gas price of the next block. */
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { INITIAL_BASE_FEE_WEI } from '#types/genesis/genesis-header.ts'

/** Ratio of the gas limit to the gas target. */
const ELASTICITY = 2n
const MAX_CHANGE_DENOMINATOR = 8n

/** The parent's gas limit, doubled for the first block of London. */
export function gasLimitBefore(
  config: GenesisConfig,
  { gasLimit, number }: Pick<BlockHeader, 'gasLimit' | 'number'>,
): bigint {
  return isFirstOfLondon(config, number + 1n) ? gasLimit * ELASTICITY : gasLimit
}

export type FeeParent = Pick<BlockHeader, 'gasLimit' | 'gasUsed' | 'baseFeePerGas'>

/**
 * Whether the base fee begins with this block. Besu looks at `londonBlock` alone: if a genesis file omits it and
 * schedules a later fork, the base fee begins at 0 and the gas limit does not double.
 */
function isFirstOfLondon({ forks }: GenesisConfig, number: bigint): boolean {
  return forks.scheduledFrom('london') === number
}

/**
 * The base fee of block `number`; undefined before London. With fixedBaseFee, each validator sets it by option, and
 * the parent's fee is the best guess.
 */
export function nextBaseFee(
  genesis: Genesis,
  rules: Rules,
  parent: FeeParent,
  number: bigint,
): bigint | undefined {
  if (rules.feeMarket === 'market' || !rules.has('london'))
    return marketBaseFee(genesis, rules, parent, number)
  return rules.feeMarket === 'zero' ? 0n : (parent.baseFeePerGas ?? INITIAL_BASE_FEE_WEI)
}

/** The base fee by EIP-1559, regardless of zeroBaseFee and fixedBaseFee. */
export function marketBaseFee(
  genesis: Genesis,
  rules: Rules,
  parent: FeeParent,
  number: bigint,
): bigint | undefined {
  if (!rules.has('london')) return undefined
  if (isFirstOfLondon(genesis.config, number)) return genesis.header.baseFeePerGas ?? INITIAL_BASE_FEE_WEI
  return changedBaseFee(parent.baseFeePerGas ?? 0n, parent.gasUsed, parent.gasLimit / ELASTICITY)
}

function changedBaseFee(fee: bigint, gasUsed: bigint, target: bigint): bigint {
  if (gasUsed === target || target === 0n) return fee
  const distance = gasUsed > target ? gasUsed - target : target - gasUsed
  const change = (fee * distance) / target / MAX_CHANGE_DENOMINATOR
  if (gasUsed < target) return fee - change
  return fee + (change > 1n ? change : 1n)
}
