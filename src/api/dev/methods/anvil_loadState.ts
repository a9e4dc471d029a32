import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { parseDump } from '#api/dev/state-dump.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { dataParam } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Fault } from '#types/fault.ts'

/** Larger than any request that options allow. */
const MAX_STATE_BYTES = 256 * 1024 * 1024

export default defineDevChange({
  name: 'anvil_loadState',
  aliases: toolNames('loadState'),
  summary: 'Writes the accounts of a dump, also of one that anvil made. Other accounts and slots stay.',
  needs: ['dev'],
  cost: 'heavy',
  params: { state: dataParam({ maxBytes: MAX_STATE_BYTES }) },
  change: async ({ dev }, { state }) => {
    try {
      await dev.edit(await parseDump(state))
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'INVALID_STATE_DUMP') throw error
      throw rpcFault('INVALID_PARAMS', { data: error.message })
    }
  },
})
