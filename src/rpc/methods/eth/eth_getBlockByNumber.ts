import { defineMethod } from '#rpc/define-method.ts'
import { blockText } from '#rpc/present/block-text.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { FullTransactions } from '#rpc/schema/full-transactions.ts'

export default defineMethod({
  name: 'eth_getBlockByNumber',
  summary: 'A block of the chain by its number or a tag; null when there is none.',
  needs: ['chain'],
  params: { block: BlockNumber, full: FullTransactions },
  result: BlockResult.nullable(),
  run: ({ chain }, { block, full }) => {
    const known = blockOf(chain, block)
    return known === undefined ? null : blockText(chain, known, full)
  },
})
