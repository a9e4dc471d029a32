import { null as nothing } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { countOf } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevMethod({
  name: 'evm_setNextBlockTimestamp',
  aliases: ['anvil_setNextBlockTimestamp'],
  summary: 'Sets the Unix time of the next block. Later blocks continue from it.',
  needs: ['dev'],
  params: { timestamp: new Param(CountWire, 'INVALID_PARAMS') },
  result: nothing(),
  run: async ({ dev }, { timestamp }) => {
    if (await dev.setNextTimestamp(countOf(timestamp))) return null
    throw rpcFault('INVALID_PARAMS', { data: `${timestamp} is not after the time of the last block.` })
  },
})
