import { usualPriorityFee } from '#rpc/calls/usual-prices.ts'
import { defineMethod } from '#rpc/define-method.ts'
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
  run: (resources, _, { resolved }) =>
    formatQuantity(usualPriorityFee(resources, resolved.minPriorityFeeWei)),
})
