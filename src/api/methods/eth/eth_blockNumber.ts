import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_blockNumber',
  summary: 'The number of the head.',
  needs: ['chain'],
  params: {},
  result: QuantityText,
  run: ({ chain }) => formatQuantity(chain.head().header.number),
})
