import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { DataText } from '#rpc/schema/data.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { encodeReceipt } from '#types/block/receipt.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block, as they stand in its receipt trie.',
  needs: ['chain'],
  cost: 'medium',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: array(DataText).nullable(),
  run: ({ chain }, { block }) => {
    const known = resolveBlock(chain, block)
    const receipts = known && chain.lookup.receipts(known.hash)
    return receipts === undefined
      ? null
      : receipts.map((receipt) =>
          formatData(encodeReceipt({ ...receipt, logsBloom: bloomOfLogs(receipt.logs) })),
        )
  },
})
