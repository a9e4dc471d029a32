import { defineMethod } from '#rpc/define-method.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'miner_getMinPriorityFee',
  summary: 'The lowest priority fee per gas, in wei, of transactions that this node chooses for its blocks.',
  needs: ['building'],
  params: {},
  result: QuantityText,
  run: async ({ building }) => formatQuantity((await building.settings()).minPriorityFeeWei),
})
