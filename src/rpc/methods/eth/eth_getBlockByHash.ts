import { defineMethod } from '#rpc/define-method.ts'
import { blockText } from '#rpc/present/block-text.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { FullTransactions } from '#rpc/schema/full-transactions.ts'
import { BlockHash } from '#rpc/schema/hash.ts'

export default defineMethod({
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash, canonical or not; null when there is none.',
  needs: ['chain'],
  params: { hash: BlockHash, full: FullTransactions },
  result: BlockResult.nullable(),
  run: ({ chain }, { hash, full }) => {
    const known = chain.lookup.block(hash)
    return known === undefined ? null : blockText(chain, known, full)
  },
})
