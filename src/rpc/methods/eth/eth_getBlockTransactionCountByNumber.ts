import { defineMethod } from '#rpc/define-method.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions of a block, by its number or a tag; null when there is none.',
  needs: ['chain'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: QuantityText.nullable(),
  run: ({ chain }, { block }) => {
    const known = blockOf(chain, block)
    return known === undefined ? null : formatQuantity(known.block.transactions.length)
  },
})
