import { defineMethod } from '#rpc/define-method.ts'
import { presentReceiptOf } from '#rpc/present/receipt.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { ReceiptResult } from '#rpc/schema/receipt.ts'

export default defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction of the chain; null when there is none.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  result: ReceiptResult.nullable(),
  run: ({ chain }, { hash }) => presentReceiptOf(chain, hash) ?? null,
})
