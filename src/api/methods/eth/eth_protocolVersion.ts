import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

const HIGHEST_ETH_VERSION = 69

export default defineMethod({
  name: 'eth_protocolVersion',
  summary: 'The highest version of the eth protocol.',
  needs: [],
  params: {},
  result: QuantityText,
  run: () => formatQuantity(HIGHEST_ETH_VERSION),
})
