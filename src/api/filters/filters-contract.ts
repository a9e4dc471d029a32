import { LONG_ARGS_MAX_BYTES, question } from '#platform/contract.ts'
import type { FilterDefinition, FilterProgress } from './filter.ts'

/** Main keeps the cursors, because a client's next request may reach another server. */
export const FILTERS = {
  /** Returns undefined if the option allows no more and this caller has its share. */
  create: question<[filter: FilterDefinition, owner: string], string | undefined>({
    maxArgBytes: LONG_ARGS_MAX_BYTES,
  }),
  get: question<[id: string], FilterDefinition | undefined>(),
  /** Returns the changes since the last poll and moves the cursor; undefined if the filter is unknown or expired. */
  poll: question<[id: string], FilterProgress | undefined>(),
  remove: question<[id: string], boolean>(),
}
