/**
 * The chain as a reader sees it: what is stored, and which block is the head. On any thread. Where heads are announced
 * to the thread, the head it tells is the announced one, so that no answer is older than what a client was told before.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { AccountProof, HashedSlot, PinnedState, RootAfter } from '#store/store.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { FeeSamples } from './fee-samples.ts'
import type { Lookup, TransactionInBlock } from './lookup.ts'

/** What a view hands out of the store, for rooms that do not know it. */
export type { AccountProof, HashedSlot, PinnedState, RootAfter }

/** A block by its place and its name; fit to be sent between threads. */
export interface HeadMark {
  readonly number: number
  readonly hash: Hash
}

export interface ChainView {
  readonly genesis: Genesis
  readonly lookup: Lookup
  /** The fastest that this thread has. */
  readonly keccak: Keccak
  head(): KnownHeader
  /**
   * A transaction of the chain up to the head, with its block. Whoever is shown it asks for the latest state next, so that one in
   * a block which is stored and not yet announced is not found.
   */
  transactionInBlock(hash: Hash): TransactionInBlock | undefined
  /** What is durable now, which may be newer than what was announced. */
  storedHead(): KnownHeader
  /**
   * The head turned out to be no longer canonical, and its news are still on their way: from now on the head is the
   * stored one, until the news have come.
   */
  catchUp(): void
  /** How often blocks were taken off the chain: as long as there were no more, what was in it still is. */
  unwinds(): number
  /** undefined: never marked. */
  safe(): KnownHeader | undefined
  finalized(): KnownHeader | undefined
  /** The sum of difficulties up to a block. */
  totalDifficulty(block: KnownHeader): bigint
  readonly fees: FeeSamples
  /** The lowest block whose state can be read. */
  lowestState(): number
  /** Throws STATE_UNAVAILABLE for a block above the head or below the lowest state that is kept, or with another hash. */
  stateAt(number: number, hash?: Hash): PinnedState
  /** Takes up to seconds where blocks are large. Throws like stateAt. */
  proofAt(number: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
  /** Hashes of addresses with an account, ascending from one on. Throws and takes its time like proofAt. */
  accountHashesAt(number: number, from: Uint8Array, limit: number): Uint8Array[]
  /** Slots of an account by their hashes, ascending from one on. Throws and takes its time like proofAt. */
  slotsAt(number: number, address: Uint8Array, from: Uint8Array, limit: number): HashedSlot[]
  /** The root of a state with changes (types/state-changes.ts) on top of it. Throws like proofAt. */
  rootAfter(number: number, changes: Uint8Array): RootAfter
  /** Address or slot behind its hash. */
  addressOf(hash: Uint8Array): Uint8Array | undefined
  slotOf(hash: Uint8Array): Uint8Array | undefined
}
