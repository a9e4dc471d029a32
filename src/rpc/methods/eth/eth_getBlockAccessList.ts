import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Block } from '#rpc/schema/block-selector.ts'

export default defineMethod({
  name: 'eth_getBlockAccessList',
  summary: 'The access list of a block, which blocks have from Amsterdam on; no supported fork has one.',
  needs: ['chain'],
  params: { block: Block },
  result: string(),
  run: () => {
    throw rpcFault('RESOURCE_NOT_FOUND')
  },
})
