import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { DataText } from '#rpc/schema/data.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawHeader',
  summary: 'The header of a block in RLP.',
  needs: ['chain'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: DataText,
  run: ({ chain }, { block }) => {
    const known = resolveBlock(chain, block)
    if (known === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    return formatData(encodeHeader(known.header))
  },
})
