import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { packFilter } from '#rpc/filters/filter.ts'
import { callerKey } from '#rpc/limits/caller-key.ts'
import { LogFilter } from '#rpc/schema/log-filter.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'

export default defineMethod({
  name: 'eth_newFilter',
  summary: 'Creates a filter for logs by address and topics; eth_getFilterChanges returns the new ones.',
  needs: ['filters'],
  params: { filter: LogFilter },
  result: QuantityText,
  run: async ({ filters }, { filter }, context) => {
    const id = await filters.create(packFilter({ kind: 'logs', query: filter }), callerKey(context))
    if (id === undefined) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_FILTERS')
    return id
  },
})
