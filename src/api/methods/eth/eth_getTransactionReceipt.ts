import { defineMethod } from '#api/define-method.ts'
import { presentReceiptOf } from '#api/present/receipt.ts'
import { ReceiptResult } from '#api/schema/results.ts'
import { TransactionHash } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction of the chain; null if unknown.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  result: ReceiptResult.nullable(),
  run: ({ chain }, { hash }) => presentReceiptOf(chain, hash) ?? null,
})
