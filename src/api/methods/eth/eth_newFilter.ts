import { defineMethod } from '#api/define-method.ts'
import { create } from '#api/filters/filter-request.ts'
import { LogFilter } from '#api/schema/log-filter.ts'
import { QuantityText } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_newFilter',
  summary: 'Creates a filter for logs by address and topics; eth_getFilterChanges returns the new ones.',
  needs: ['filters'],
  params: { filter: LogFilter },
  result: QuantityText,
  run: (resources, { filter: query }, context) => create(resources, { kind: 'logs', query }, context),
})
