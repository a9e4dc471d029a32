import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { presentReceipts } from '#rpc/present/receipt.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { Block } from '#rpc/schema/block-selector.ts'
import { ReceiptResult } from '#rpc/schema/receipt.ts'

export default defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'The receipts of a block in order; null when there is no such block, or it was never executed.',
  needs: ['chain'],
  cost: 'medium',
  params: { block: Block },
  result: array(ReceiptResult).nullable(),
  run: ({ chain }, { block }) => {
    const known = blockOf(chain, block)
    const receipts = known && chain.lookup.receipts(known.hash)
    return known === undefined || receipts === undefined ? null : presentReceipts(chain, known, receipts)
  },
})
