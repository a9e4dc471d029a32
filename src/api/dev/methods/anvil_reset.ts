import { object, string, unknown } from 'zod'
import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

/** Tools send the number of a block to fork from, or null. */
const Options = object({
  forking: object({ jsonRpcUrl: string().nullish(), blockNumber: unknown().optional() }).nullish(),
})

export default defineDevChange({
  name: 'anvil_reset',
  aliases: toolNames('reset'),
  summary:
    'Rewinds to block 0 and forgets transactions, edits, snapshots and settings. It cannot fork another network.',
  needs: ['dev'],
  cost: 'heavy',
  params: { options: new Param(Options, 'INVALID_PARAMS').optional() },
  change: async ({ dev }, { options }) => {
    if (options?.forking?.jsonRpcUrl != null) throw rpcFault('FORKING_UNSUPPORTED')
    await dev.reset()
  },
})
