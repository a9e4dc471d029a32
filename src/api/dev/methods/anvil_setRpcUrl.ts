import { literal, string } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevMethod({
  name: 'anvil_setRpcUrl',
  aliases: toolNames('setRpcUrl'),
  summary: 'Refused: the development chain does not fork another network.',
  needs: [],
  params: { url: new Param(string(), 'INVALID_PARAMS') },
  result: literal(true),
  run: async () => {
    throw rpcFault('FORKING_UNSUPPORTED')
  },
})
