import { array, object } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { presentBadBlock } from '#rpc/present/bad-block.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { DataText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'

export default defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'The last blocks that were refused because they are invalid, since the node was started.',
  needs: ['chain', 'writer'],
  params: {},
  result: array(object({ block: BlockResult, hash: HashText, rlp: DataText })),
  run: async ({ chain, writer }) => {
    const bad = await writer.badBlocks()
    return bad.map((each) => presentBadBlock(chain, each))
  },
})
