import { defineMethod } from '#api/define-method.ts'
import { blockOf } from '#api/resolve-block.ts'
import { BlockNumber, DataText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { encodeBlock } from '#types/block/block.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawBlock',
  summary: 'A block in RLP.',
  needs: ['chain'],
  cost: 'medium',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: DataText,
  run: ({ chain }, { block }) => {
    const known = blockOf(chain, block)
    if (known === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    return formatData(encodeBlock(known.block))
  },
})
