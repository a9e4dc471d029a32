import { percentileOf } from '#chain/read/fee-samples.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { atLeast } from '#rpc/fee-bounds.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

/** Needs 'engine' to run where nobody waits: the first question decodes a hundred blocks. */
export default defineMethod({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'A priority fee per gas that is usual in recent blocks.',
  needs: ['chain', 'engine', 'limits', 'building'],
  params: {},
  result: QuantityText,
  resolve: ({ building }) => building.settings(),
  run: ({ chain, limits: { gasPrice: rule } }, _, { resolved: { minPriorityFeeWei } }) => {
    const tips = [...chain.fees.upTo(chain.head(), rule.blocks)].flatMap(({ priorityFees }) => priorityFees)
    return formatQuantity(atLeast(percentileOf(tips, rule.percentile) ?? 0n, minPriorityFeeWei))
  },
})
