import { defineMethod } from '#rpc/define-method.ts'

import { BlockHash } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'The number of ommers of a block, by its hash; null when there is none.',
  needs: ['chain'],
  params: { block: BlockHash },
  result: QuantityText.nullable(),
  run: ({ chain }, { block }) => {
    const known = chain.lookup.block(block)
    return known === undefined ? null : formatQuantity(known.block.ommers.length)
  },
})
