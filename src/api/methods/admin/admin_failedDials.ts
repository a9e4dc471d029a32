import { array, number, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { formatEnode } from '#types/enode.ts'

export default defineMethod({
  name: 'admin_failedDials',
  summary: 'Nodes that could not be dialled, with the reason of the last attempt.',
  needs: ['peers'],
  params: {},
  result: array(
    object({
      enode: string(),
      why: string().meta({ description: 'the reason of the failure' }),
      failures: number().meta({ description: 'how many times in a row' }),
      at: string().meta({ description: 'when, as ISO 8601' }),
    }),
  ),
  run: async ({ peers }) => {
    const failed = await peers.failedDials()
    if (failed === undefined) throw rpcFault('P2P_DISABLED')
    return failed.map(({ enode, sentence, failures, atMs }) => ({
      enode: formatEnode(enode),
      why: sentence,
      failures,
      at: new Date(atMs).toISOString(),
    }))
  },
})
