import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { FilterId } from '#rpc/schema/filter-id.ts'

export default defineMethod({
  name: 'eth_uninstallFilter',
  summary: 'Removes a filter; false when there is none with this id.',
  needs: ['filters'],
  cost: 'free',
  params: { id: FilterId },
  result: boolean(),
  run: ({ filters }, { id }) => filters.remove(id),
})
