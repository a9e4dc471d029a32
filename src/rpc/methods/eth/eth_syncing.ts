import { literal, strictObject, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_syncing',
  summary: 'How far the node has caught up with its peers; false when there is nobody to catch up with.',
  needs: ['sync'],
  params: {},
  result: union([
    literal(false),
    strictObject({ startingBlock: QuantityText, currentBlock: QuantityText, highestBlock: QuantityText }),
  ]),
  run: async ({ sync }) => {
    const progress = await sync.progress()
    if (progress === undefined) return false
    const { startingBlock, currentBlock, highestBlock } = progress
    return {
      startingBlock: formatQuantity(startingBlock),
      currentBlock: formatQuantity(currentBlock),
      highestBlock: formatQuantity(highestBlock),
    }
  },
})
