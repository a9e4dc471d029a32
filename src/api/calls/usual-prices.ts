import { atLeast, atMost } from '#api/fee-bounds.ts'
import type { Resources } from '#api/resources.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import type { UsualFees } from '#chain/read/fee-samples.ts'

export type PriceResources = Pick<Resources, 'chain' | 'limits'>

/** The price that suffices for the next block. */
export function usualGasPrice(resources: PriceResources, minGasPriceWei: bigint): bigint {
  const { chain, limits } = resources
  const baseFee = nextHeader(chain.genesis, chain.head().header).baseFeePerGas ?? 0n
  const usual = atMost(usualFees(resources).gasPrice ?? 0n, BigInt(limits.gasPriceMax))
  return atLeast(usual, atLeast(baseFee, minGasPriceWei))
}

export function usualPriorityFee(resources: PriceResources, minPriorityFeeWei: bigint): bigint {
  return atLeast(usualFees(resources).priorityFee ?? 0n, minPriorityFeeWei)
}

function usualFees({ chain, limits }: PriceResources): UsualFees {
  const { gasPriceBlocks: blocks, gasPricePercentile: percentile } = limits
  return chain.fees.usual({ newest: chain.head(), blocks, percentile })
}
