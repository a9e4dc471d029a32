import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { packFilter } from '#rpc/filters/filter.ts'
import { callerKey } from '#rpc/limits/caller-key.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'

export default defineMethod({
  name: 'eth_newBlockFilter',
  summary: 'Creates a filter for new blocks; eth_getFilterChanges returns their hashes.',
  needs: ['filters'],
  params: {},
  result: QuantityText,
  run: async ({ filters }, _, context) => {
    const id = await filters.create(packFilter({ kind: 'blocks' }), callerKey(context))
    if (id === undefined) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_FILTERS')
    return id
  },
})
