import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { BlockNumber, DataText } from '#api/schema/values.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { encodeReceipt } from '#types/block/receipt.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The encoded receipts of a block, as in its receipt trie.',
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
