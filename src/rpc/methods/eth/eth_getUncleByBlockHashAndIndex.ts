import { defineMethod } from '#rpc/define-method.ts'
import { presentOmmer } from '#rpc/present/block.ts'

import { BlockResult } from '#rpc/schema/block.ts'
import { BlockHash } from '#rpc/schema/hash.ts'
import { OmmerIndex } from '#rpc/schema/small-number.ts'

export default defineMethod({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An ommer of a block by the hash of the block, without transactions; null when there is none.',
  needs: ['chain'],
  params: { block: BlockHash, index: OmmerIndex },
  result: BlockResult.nullable(),
  run: ({ chain }, { block, index }) => {
    const ommer = chain.lookup.block(block)?.block.ommers[index]
    return ommer === undefined ? null : presentOmmer(ommer)
  },
})
