import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { findLogs } from '#rpc/filters/find-logs.ts'
import { LogResult } from '#rpc/schema/log.ts'
import { LogFilter } from '#rpc/schema/log-filter.ts'

export default defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs of a range of blocks or of one block, by address and topics.',
  needs: ['chain', 'limits'],
  cost: 'heavy',
  params: { filter: LogFilter },
  result: array(LogResult),
  run: ({ chain, limits }, { filter }, { signal }) => findLogs(chain, filter, limits.maxLogsRange, signal),
})
