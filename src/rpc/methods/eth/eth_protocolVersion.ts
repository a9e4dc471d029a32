import { defineMethod } from '#rpc/define-method.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

/** Of those that peers may agree on with us. */
const HIGHEST_ETH_VERSION = 69

export default defineMethod({
  name: 'eth_protocolVersion',
  summary: 'The highest version of the eth protocol.',
  needs: [],
  params: {},
  result: QuantityText,
  run: () => formatQuantity(HIGHEST_ETH_VERSION),
})
