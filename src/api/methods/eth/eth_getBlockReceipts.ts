import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentReceipts } from '#api/present/receipt.ts'
import { blockOf } from '#api/resolve-block.ts'
import { ReceiptResult } from '#api/schema/results.ts'
import { Block } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_getBlockReceipts',
  summary: 'The receipts of a block in order; null if there is no such block or it was never executed.',
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
