import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { TransactionIndex } from '#rpc/schema/small-number.ts'
import { TransactionResult } from '#rpc/schema/transaction.ts'

export default defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary:
    'A transaction by its place in a block, which is named by its number or a tag; null when there is none.',
  needs: ['chain'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS'), index: TransactionIndex },
  result: TransactionResult.nullable(),
  run: ({ chain }, { block, index }) => {
    const known = blockOf(chain, block)
    return (known && presentTransactionAt(chain, known, index)) ?? null
  },
})
