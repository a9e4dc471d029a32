import { LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { FilterDefinition, FilterPlace, FilterProgress } from './filter.ts'
import type { FilterCursors } from './filter-cursors.ts'

/** A filter is a cursor, and main's because a client may reach another server with its next request. */
export const FILTERS = {
  /** Returns undefined if the option allows no more and this caller has its share. */
  create: question<[filter: FilterDefinition, owner: string], string | undefined>({
    maxArgBytes: LONG_ARGS_MAX_BYTES,
  }),
  get: question<[id: string], FilterDefinition | undefined>(),
  /** What happened since it was last asked, and moves the cursor; undefined: unknown or expired. */
  poll: question<[id: string], FilterProgress | undefined>(),
  remove: question<[id: string], boolean>(),
}

export type LiveFilters = OwnerOf<typeof FILTERS>

/** `now` is where filters begin: the head that was announced last, and the additions to the pool. */
export function createLiveFilters(cursors: FilterCursors, now: () => FilterPlace): LiveFilters {
  return {
    create: (definition, owner) => cursors.create(definition, now(), owner),
    get: (id) => cursors.get(id),
    poll: (id) => cursors.poll(id, now()),
    remove: (id) => cursors.remove(id),
  }
}
