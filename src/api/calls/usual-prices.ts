import { atLeast, atMost } from '#api/fee-bounds.ts'
import type { Resources } from '#api/resources.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import { percentileOf } from '#chain/read/fee-samples.ts'

export type PriceResources = Pick<Resources, 'chain' | 'limits'>

/** The price that suffices for the next block. */
export function usualGasPrice({ chain, limits }: PriceResources, minGasPriceWei: bigint): bigint {
  const head = chain.head()
  const baseFee = nextHeader(chain.genesis, head.header).baseFeePerGas ?? 0n
  const prices = [...chain.fees.upTo(head, limits.gasPriceBlocks)].flatMap(({ gasPrices }) => gasPrices)
  const usual = atMost(percentileOf(prices, limits.gasPricePercentile) ?? 0n, BigInt(limits.gasPriceMax))
  return atLeast(usual, atLeast(baseFee, minGasPriceWei))
}

export function usualPriorityFee({ chain, limits }: PriceResources, minPriorityFeeWei: bigint): bigint {
  const tips = [...chain.fees.upTo(chain.head(), limits.gasPriceBlocks)].flatMap(
    ({ priorityFees }) => priorityFees,
  )
  return atLeast(percentileOf(tips, limits.gasPricePercentile) ?? 0n, minPriorityFeeWei)
}
