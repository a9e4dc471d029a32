import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { Block } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'eth_getBlockAccessList',
  summary: 'The access list of a block, from Amsterdam on; no supported fork has one.',
  needs: ['chain'],
  params: { block: Block },
  result: string(),
  run: () => {
    throw rpcFault('RESOURCE_NOT_FOUND')
  },
})
