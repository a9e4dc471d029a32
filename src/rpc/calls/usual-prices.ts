/** What a gas costs in recent blocks, as a client is told that has no opinion of its own. */
import { nextHeader } from '#chain/read/call-site.ts'
import { percentileOf } from '#chain/read/fee-samples.ts'
import { atLeast, atMost } from '#rpc/fee-bounds.ts'
import type { Resources } from '#rpc/resources.ts'

type PriceResources = Pick<Resources, 'chain' | 'limits'>

/** Sufficient for the next block. */
export function usualGasPrice(
  { chain, limits: { gasPrice: rule } }: PriceResources,
  minGasPriceWei: bigint,
): bigint {
  const head = chain.head()
  const baseFee = nextHeader(chain.genesis, head.header).baseFeePerGas ?? 0n
  const prices = [...chain.fees.upTo(head, rule.blocks)].flatMap(({ gasPrices }) => gasPrices)
  const usual = atMost(percentileOf(prices, rule.percentile) ?? 0n, rule.maxWei)
  return atLeast(usual, atLeast(baseFee, minGasPriceWei))
}

export function usualPriorityFee(
  { chain, limits: { gasPrice: rule } }: PriceResources,
  minPriorityFeeWei: bigint,
): bigint {
  const tips = [...chain.fees.upTo(chain.head(), rule.blocks)].flatMap(({ priorityFees }) => priorityFees)
  return atLeast(percentileOf(tips, rule.percentile) ?? 0n, minPriorityFeeWei)
}
