import { array, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { unpackFilter } from '#rpc/filters/filter.ts'
import { logTextsOnWay, wayBetween } from '#rpc/filters/filter-changes.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { FilterId } from '#rpc/schema/filter-id.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { LogResult } from '#rpc/schema/log.ts'

export default defineMethod({
  name: 'eth_getFilterChanges',
  summary: 'What a filter has seen since it was last asked: logs, or hashes of blocks or transactions.',
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
