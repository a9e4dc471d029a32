import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { BlockNumber, DataText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
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
