import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { findLogs } from '#api/filters/find-logs.ts'
import { LogFilter } from '#api/schema/log-filter.ts'
import { LogResult } from '#api/schema/results.ts'

export default defineMethod({
  name: 'eth_getLogs',
  summary: 'Logs of one block or a block range, by address and topics.',
  needs: ['chain', 'limits'],
  cost: 'heavy',
  params: { filter: LogFilter },
  result: array(LogResult),
  run: ({ chain, limits }, { filter }, { signal }) => findLogs(chain, filter, limits, signal),
})
