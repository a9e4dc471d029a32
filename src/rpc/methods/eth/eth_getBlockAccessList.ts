import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Block } from '#rpc/schema/block-selector.ts'

export default defineMethod({
  name: 'eth_getBlockAccessList',
  summary: 'The access list of a block of Amsterdam; of the forks that there are no block has one.',
  needs: ['chain'],
  params: { block: Block },
  result: string(),
  run: () => {
    throw rpcFault('RESOURCE_NOT_FOUND')
  },
})
