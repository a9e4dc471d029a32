import { boolean } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { FilterId } from '#api/filters/filter-request.ts'

export default defineMethod({
  name: 'eth_uninstallFilter',
  summary: 'Removes a filter; false if there is no filter with this id.',
  needs: ['filters'],
  cost: 'free',
  params: { id: FilterId },
  result: boolean(),
  run: ({ filters }, { id }) => filters.remove(id),
})
