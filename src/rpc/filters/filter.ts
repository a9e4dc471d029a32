/**
 * Polling filters: what a client asked to hear of, and how far it has heard. A filter is a cursor, kept by main because
 * a client may reach another server with its next request; the server that is asked computes what is new from the store.
 */
import type { HeadMark } from '#chain/read/chain-view.ts'
import type { LogPattern } from '#chain/read/logs.ts'
import type { PlaceSelector } from '#rpc/schema/block-selector.ts'
import type { Hash } from '#types/hash.ts'

export type Watched =
  | { readonly kind: 'logs'; readonly query: LogQuery | BlockLogQuery }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pendingTransactions' }

/**
 * The same as text. Main keeps it and does not look inside: a text costs it no time, and its length says what it takes,
 * while a query may name thousands of addresses and topics.
 */
export type FilterDefinition = string & { readonly [brand]: 'FilterDefinition' }
declare const brand: unique symbol

/** What eth_getLogs and eth_newFilter ask for. */
export interface LogQuery extends LogPattern {
  readonly kind: 'range'
  readonly fromBlock: PlaceSelector
  readonly toBlock: PlaceSelector
}

/** Of one block, canonical or not. */
export interface BlockLogQuery extends LogPattern {
  readonly kind: 'block'
  readonly blockHash: Hash
}

export interface FilterProgress {
  readonly definition: FilterDefinition
  /** When the filter was made or last asked. */
  readonly since: FilterPlace
  readonly now: FilterPlace
}

/** How far a filter has heard. */
export interface FilterPlace {
  readonly head: HeadMark
  /** How many transactions came to the pool so far. */
  readonly additions: number
}

export function packFilter(watched: Watched): FilterDefinition {
  // Block numbers are all that JSON has no word for.
  const text = JSON.stringify(watched, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return text as FilterDefinition
}

export function unpackFilter(definition: FilterDefinition): Watched {
  return JSON.parse(definition, (key, value) => (key === 'number' ? BigInt(value) : value))
}
