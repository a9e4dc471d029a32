import { defineMethod } from '#rpc/define-method.ts'
import { presentReceiptAt } from '#rpc/present/receipt.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { ReceiptResult } from '#rpc/schema/receipt.ts'

export default defineMethod({
  name: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction of the chain; null when there is none.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  result: ReceiptResult.nullable(),
  run: ({ chain }, { hash }) => {
    const found = chain.lookup.transactionInBlock(hash)
    const receipts = found && chain.lookup.receipts(found.known.hash)
    if (found === undefined || receipts === undefined) return null
    // Whoever has the receipt asks for the latest state next: it is shown once that block is the latest here.
    if (found.known.block.header.number > chain.head().header.number) return null
    return presentReceiptAt(chain, found.known, receipts, found.index)
  },
})
