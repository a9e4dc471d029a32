import { defineMethod } from '#api/define-method.ts'
import { create } from '#api/filters/filter-request.ts'
import { QuantityText } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_newPendingTransactionFilter',
  summary: 'Creates a filter for pending transactions; eth_getFilterChanges returns their hashes.',
  needs: ['filters'],
  params: {},
  result: QuantityText,
  run: (resources, _, context) => create(resources, { kind: 'pendingTransactions' }, context),
})
