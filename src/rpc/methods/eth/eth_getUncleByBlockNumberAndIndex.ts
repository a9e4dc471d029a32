import { defineMethod } from '#rpc/define-method.ts'
import { presentOmmer } from '#rpc/present/block.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { OmmerIndex } from '#rpc/schema/small-number.ts'

export default defineMethod({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary:
    'An ommer of a block by the number or a tag of the block, without transactions; null when there is none.',
  needs: ['chain'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS'), index: OmmerIndex },
  result: BlockResult.nullable(),
  run: ({ chain }, { block, index }) => {
    const ommer = blockOf(chain, block)?.block.ommers[index]
    return ommer === undefined ? null : presentOmmer(ommer)
  },
})
