import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { unpackFilter } from '#api/filters/filter.ts'
import { FilterId } from '#api/filters/filter-request.ts'
import { findLogs } from '#api/filters/find-logs.ts'
import { LogResult } from '#api/schema/results.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'eth_getFilterLogs',
  summary: 'All logs that match a filter of eth_newFilter.',
  needs: ['chain', 'filters', 'limits'],
  cost: 'heavy',
  params: { id: FilterId },
  result: array(LogResult),
  run: async function* ({ chain, filters, limits }, { id }, { signal }) {
    const definition = await filters.get(id)
    const watched = definition && unpackFilter(definition)
    if (watched?.kind !== 'logs') throw rpcFault('LOGS_FILTER_NOT_FOUND')
    yield* findLogs(chain, watched.query, limits, signal)
  },
})
