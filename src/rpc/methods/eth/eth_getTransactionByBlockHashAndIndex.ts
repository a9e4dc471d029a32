import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'

import { BlockHash } from '#rpc/schema/hash.ts'
import { TransactionIndex } from '#rpc/schema/small-number.ts'
import { TransactionResult } from '#rpc/schema/transaction.ts'

export default defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'A transaction by its place in a block, which is named by its hash; null when there is none.',
  needs: ['chain'],
  params: {
    block: BlockHash.failingWith('INVALID_TRANSACTION_HASH_PARAMS'),
    index: TransactionIndex.failingWith('INVALID_TRANSACTION_ID_PARAMS'),
  },
  result: TransactionResult.nullable(),
  run: ({ chain }, { block, index }) => {
    const known = chain.lookup.block(block)
    return (known && presentTransactionAt(chain, known, index)) ?? null
  },
})
