/**
 * Polling filters: what a client asked to hear of, and how far it has heard. A filter is a cursor, kept by main because
 * a client may reach another server with its next request; the server that is asked computes what is new from the store.
 */
import type { HeadMark } from '#chain/chain-view.ts'
import type { LogFilter } from '#chain/logs.ts'
import type { Hash } from '#types/hash.ts'
import type { PlaceSelector } from './schema/block-selector.ts'

export type FilterDefinition =
  | { readonly kind: 'logs'; readonly query: LogQuery | BlockLogQuery }
  | { readonly kind: 'blocks' }
  | { readonly kind: 'pendingTransactions' }

/** What eth_getLogs and eth_newFilter ask for. Fit to be sent between threads. */
export interface LogQuery extends LogFilter {
  readonly kind: 'range'
  readonly fromBlock: PlaceSelector
  readonly toBlock: PlaceSelector
}

/** Of one block, canonical or not. */
export interface BlockLogQuery extends LogFilter {
  readonly kind: 'block'
  readonly blockHash: Hash
}

export interface FilterProgress {
  readonly definition: FilterDefinition
  /** The head when the filter was made or last asked. */
  readonly since: HeadMark
  readonly head: HeadMark
}
