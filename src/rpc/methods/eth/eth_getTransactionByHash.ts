import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { TransactionResult } from '#rpc/schema/transaction.ts'

export default defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction of the chain by its hash; null when there is none.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  count: 'exact',
  result: TransactionResult.nullable(),
  run: ({ chain }, { hash }) => {
    const found = chain.lookup.transactionInBlock(hash)
    return (found && presentTransactionAt(chain, found.known, found.index)) ?? null
  },
})
