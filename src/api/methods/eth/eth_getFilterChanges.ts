import { array, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { unpackFilter } from '#api/filters/filter.ts'
import { logTextsOnWay, wayBetween } from '#api/filters/filter-changes.ts'
import { FilterId } from '#api/filters/filter-request.ts'
import { jsonList } from '#api/present/json-list.ts'
import { LogResult } from '#api/schema/results.ts'
import { HashText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'eth_getFilterChanges',
  summary: 'New results of a filter since the last call: logs, block hashes or transaction hashes.',
  needs: ['chain', 'filters', 'pool'],
  cost: 'medium',
  params: { id: FilterId },
  result: union([array(HashText), array(LogResult)]),
  run: async function* ({ chain, filters, pool }, { id }) {
    const progress = await filters.poll(id)
    if (progress === undefined) throw rpcFault('FILTER_NOT_FOUND')
    const { definition, since, now } = progress
    const watched = unpackFilter(definition)
    switch (watched.kind) {
      case 'blocks':
        yield JSON.stringify(wayBetween(chain, since.head, now.head).added)
        return
      case 'logs':
        yield* jsonList(logTextsOnWay(chain, wayBetween(chain, since.head, now.head), watched.query))
        return
      case 'pendingTransactions':
        yield JSON.stringify(await pool.additions(since.additions, now.additions))
    }
  },
})
