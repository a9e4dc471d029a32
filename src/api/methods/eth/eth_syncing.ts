import { literal, strictObject, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_syncing',
  summary: 'Sync progress; false if the node is in sync or has no peers.',
  needs: ['chain', 'sync'],
  params: {},
  result: union([
    literal(false),
    strictObject({ startingBlock: QuantityText, currentBlock: QuantityText, highestBlock: QuantityText }),
  ]),
  run: ({ chain, sync }) => {
    const progress = sync.read(Number(chain.head().header.number))
    if (progress === undefined) return false
    const { startingBlock, currentBlock, highestBlock } = progress
    return {
      startingBlock: formatQuantity(startingBlock),
      currentBlock: formatQuantity(currentBlock),
      highestBlock: formatQuantity(highestBlock),
    }
  },
})
