import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { unpackFilter } from '#rpc/filters/filter.ts'
import { findLogs } from '#rpc/filters/find-logs.ts'
import { FilterId } from '#rpc/schema/filter-id.ts'
import { LogResult } from '#rpc/schema/log.ts'

export default defineMethod({
  name: 'eth_getFilterLogs',
  summary: 'All logs that match a filter made by eth_newFilter.',
  needs: ['chain', 'filters', 'limits'],
  cost: 'heavy',
  params: { id: FilterId },
  result: array(LogResult),
  run: async function* ({ chain, filters, limits }, { id }, { signal }) {
    const definition = await filters.get(id)
    const watched = definition && unpackFilter(definition)
    if (watched?.kind !== 'logs') throw rpcFault('LOGS_FILTER_NOT_FOUND')
    yield* findLogs(chain, watched.query, limits.maxLogsRange, signal)
  },
})
