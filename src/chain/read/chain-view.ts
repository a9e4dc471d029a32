/**
 * The chain as a reader sees it: the stored blocks and the head. Works on any thread. On threads that receive
 * announcements, the head is the announced one, so no answer is older than an earlier notification.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { StoreReader } from '#store/reader.ts'
import type { AccountProof, HashedSlot, PinnedState, RootAfter } from '#store/store.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { FeeSamples } from './fee-samples.ts'
import type { Lookup, TransactionInBlock } from './lookup.ts'

/** Types of the store that a view exposes to rooms that do not import the store. */
export type { AccountProof, HashedSlot, PinnedState, RootAfter }

/** A block by number and hash, sent between threads. */
export interface HeadMark {
  readonly number: number
  readonly hash: Hash
}

export interface ChainView
  extends Pick<
    StoreReader,
    | 'isDevelopment'
    | 'lowestState'
    | 'proofAt'
    | 'accountHashesAt'
    | 'slotsAt'
    | 'rootAfter'
    | 'addressOf'
    | 'slotOf'
  > {
  readonly genesis: Genesis
  readonly lookup: Lookup
  /** The fastest implementation on this thread. */
  readonly keccak: Keccak
  head(): KnownHeader
  /**
   * A transaction of the chain up to the head. One in a block that is stored but not yet announced is not found,
   * because a client that sees it would ask for its state next.
   */
  transactionInBlock(hash: Hash): TransactionInBlock | undefined
  /** The durable head, which may be newer than the announced one. */
  storedHead(): KnownHeader
  /**
   * Switches to the stored head after the announced one turned out to be no longer canonical, until the announcement
   * of the reorg arrives.
   */
  catchUp(): void
  /** Counts rewinds: while it is constant, no block has left the chain. */
  unwinds(): number
  /** Undefined if no block was marked. */
  safe(): KnownHeader | undefined
  finalized(): KnownHeader | undefined
  /** The sum of difficulties up to a block. */
  totalDifficulty(block: KnownHeader): bigint
  readonly fees: FeeSamples
  /** Throws STATE_UNAVAILABLE for a block above the head, below the lowest kept state or with another hash. */
  stateAt(number: number, hash?: Hash): PinnedState
  /** The edits made while a block was the head, which `stateAt` includes; empty on other than development networks. */
  editsAfter(number: number): readonly Uint8Array[]
  /**
   * The state after a block, for callers that confirm it and call `catchUp` before they try again: the state of the last
   * call is returned without reading whether it is still there, since a read or `confirm` finds out.
   */
  pinState(block: KnownHeader): PinnedState
}
