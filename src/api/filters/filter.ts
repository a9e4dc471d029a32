/**
 * Polling filters: what a client watches, and how far it has polled. Main keeps this cursor, because the next request
 * may reach another server; the server computes the changes from the store.
 */

import type { BlockLogQuery, LogQuery } from '#api/schema/log-filter.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'

export type Watched =
  | { readonly kind: 'logs'; readonly query: LogQuery | BlockLogQuery }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pendingTransactions' }

/** The filter as text, which main does not parse: a query may name thousands of addresses and topics. */
export type FilterDefinition = string & { readonly [brand]: 'FilterDefinition' }
declare const brand: unique symbol

export interface FilterProgress {
  readonly definition: FilterDefinition
  readonly since: FilterPlace
  readonly now: FilterPlace
}

export interface FilterPlace {
  readonly head: HeadMark
  /** The number of transactions that the pool had accepted. */
  readonly additions: number
}

export function packFilter(watched: Watched): FilterDefinition {
  // Block numbers are the only values that JSON lacks.
  const text = JSON.stringify(watched, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return text as FilterDefinition
}

export function unpackFilter(definition: FilterDefinition): Watched {
  return JSON.parse(definition, (key, value) => (key === 'number' ? BigInt(value) : value))
}
