import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_baseFee',
  summary: 'The base fee of the next block in wei per gas; null before London.',
  needs: ['chain'],
  params: {},
  result: QuantityText.nullable(),
  run: ({ chain }) => {
    const { baseFeePerGas } = nextHeader(chain.genesis, chain.head().header)
    return baseFeePerGas === undefined ? null : formatQuantity(baseFeePerGas)
  },
})
