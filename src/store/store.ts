/**
 * The room `store` owns what the node keeps on disk: blocks, receipts, call trees, flat state, its history, the
 * trie, indexes and marks. It owns no rule: what it is given it believes, and headers, bodies and receipts are
 * bytes to it. `chain` is its only writer, on the writer thread; every other thread reads (openStoreReader).
 *
 * This file is what others program against; open-store.ts opens, docs/wire/store.md is the format on disk.
 */

import type { Address } from '#types/address.ts'

/** BONSAI keeps the states of recent blocks, FOREST those of all. Words of Besu. */
export type StorageFormat = 'BONSAI' | 'FOREST'

export interface StoredAccount {
  readonly nonce: bigint
  readonly balance: bigint
  /** 32 bytes, that of no code included. */
  readonly codeHash: Uint8Array
  /** 32 bytes, that of no storage included. */
  readonly storageRoot: Uint8Array
  readonly hasStorage: boolean
}

/** State as it was after one block. Synchronous; fits the engine's StateSource but for block hashes. */
export interface StateReader {
  account(address: Uint8Array): StoredAccount | undefined
  /** 32 bytes; undefined is zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  code(hash: Uint8Array): Uint8Array | undefined
}

/** A state on disk, on any thread. Reads throw STATE_UNAVAILABLE when it has been pruned meanwhile. */
export interface PinnedState extends StateReader {
  readonly number: number
  /**
   * Throws STATE_UNAVAILABLE when the chain was reorganised since it was opened, or the block has been pruned.
   * To be called after the last read, so that an answer never mixes two chains.
   */
  confirm(): void
}

/**
 * The state of the head, or of a block that is not committed yet: an overlay on its parent. Of the writer
 * thread only. Ends when a block on top of it, or beside it, is given to commitBlocks: ask headState then.
 */
export interface StateVersion extends StateReader {
  readonly root: Uint8Array
  /** Accounts and slots that differ from the parent. */
  readonly changedKeys: number
}

export interface BlockMark {
  readonly number: number
  readonly hash: Uint8Array
}

export interface Head extends BlockMark {
  /** Seconds, from the header. */
  readonly timestamp: number
}

/** The head, and how often blocks were unwound: a reader that finds the same number twice read one chain in between. */
export interface HeadRecord extends Head {
  readonly unwinds: number
}

/** What is stored of a block; bytes that chain encodes and decodes. */
export interface StoredBlock extends Head {
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** undefined: not executed, as with siblings that were never canonical. */
  readonly receipts: Uint8Array | undefined
  readonly callTrees: Uint8Array | undefined
}

export interface NewBlock extends StoredBlock {
  readonly transactionHashes: readonly Uint8Array[]
  /** Who logged, 20 bytes each, and every topic, 32 bytes each; repetitions are harmless. */
  readonly logAddresses: readonly Uint8Array[]
  readonly logTopics: readonly Uint8Array[]
  /** Who called whom; undefined where call trees are not recorded. */
  readonly parties: TracedParties | undefined
  /** Made by deriveState from the state of the block before. */
  readonly state: StateVersion
}

/** An address and the transactions of a block, by their places, ascending, in which it has a part. */
export interface TracedAddress {
  readonly address: Uint8Array
  readonly transactions: readonly number[]
}

export interface TracedParties {
  readonly callers: readonly TracedAddress[]
  readonly callees: readonly TracedAddress[]
}

/** Call trees of a block that was stored without, or without its place in the index. */
export interface TracedBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly callTrees: Uint8Array
  readonly parties: TracedParties
}

/** Any of the callers and any of the callees; an empty list: any address. Not both are empty. */
export interface TraceQuery {
  readonly fromBlock: number
  readonly toBlock: number
  readonly callers: readonly Uint8Array[]
  readonly callees: readonly Uint8Array[]
}

export interface TracedTransactions {
  readonly number: number
  readonly transactions: readonly number[]
}

export interface TransactionPlace {
  readonly number: number
  readonly index: number
}

export interface LoggedBlocksQuery {
  readonly fromBlock: number
  readonly toBlock: number
  /** Any of them; none: any address. */
  readonly addresses: readonly Uint8Array[]
  /** One list per position: any of them; an empty list: any topic. */
  readonly topics: readonly (readonly Uint8Array[])[]
}

export interface StorageProof {
  readonly slot: Uint8Array
  /** 32 bytes; undefined is zero. */
  readonly value: Uint8Array | undefined
  /** RLP of the nodes from the root on; of a slot that is not there, up to where it would be. */
  readonly nodes: readonly Uint8Array[]
}

export interface AccountProof {
  readonly account: StoredAccount | undefined
  readonly nodes: readonly Uint8Array[]
  readonly storage: readonly StorageProof[]
}

export interface RootAfter {
  readonly root: Uint8Array
  /** Of the accounts that the changes leave or make. */
  readonly storageRoots: ReadonlyMap<Address, Uint8Array>
}

export interface HashedSlot {
  readonly hash: Uint8Array
  /** 32 bytes, not zero. */
  readonly value: Uint8Array
}

export type BlockTable = 'header' | 'body' | 'receipts' | 'callTrees'

/** On any thread; sees what is durable. */
export interface StoreReader {
  readonly format: StorageFormat
  /** undefined: nothing is stored yet. */
  head(): HeadRecord | undefined
  /** undefined: never marked. */
  safe(): BlockMark | undefined
  finalized(): BlockMark | undefined
  canonicalHash(number: number): Uint8Array | undefined
  /** Of canonical blocks and siblings. */
  numberOf(hash: Uint8Array): number | undefined
  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined
  /** Of canonical blocks. */
  transaction(hash: Uint8Array): TransactionPlace | undefined
  /** Blocks below this one, but for block 0, have only headers: the chain began here with a state from a file. */
  firstBlock(): number
  /** The lowest block whose state can be read. */
  lowestState(): number
  /** Throws STATE_UNAVAILABLE for a block above the head or below lowestState, and for one with another hash. */
  stateAt(number: number, hash?: Uint8Array): PinnedState
  /** Throws like stateAt. Takes up to seconds where blocks are large: not for a thread that must answer. */
  proofAt(number: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
  /** Hashes of addresses with an account, ascending from one on. Throws and takes its time like proofAt. */
  accountHashesAt(number: number, from: Uint8Array, limit: number): Uint8Array[]
  /** Slots of an account by their hashes, ascending from one on. Throws and takes its time like proofAt. */
  slotsAt(number: number, address: Uint8Array, from: Uint8Array, limit: number): HashedSlot[]
  /** The root of a state with changes (types/state-changes.ts) on top of it. Throws like proofAt. */
  rootAfter(number: number, changes: Uint8Array): RootAfter
  /** Numbers of canonical blocks that may hold matching logs, ascending; a superset of those that do. */
  blocksWithLogs(query: LoggedBlocksQuery): AsyncIterable<number>
  /** From this block on up to the head every block has its call trees and is in their index. */
  tracedFrom(): number
  /** Transactions of canonical blocks in which such calls may be found, ascending; a superset of those with them. */
  tracedTransactions(query: TraceQuery): AsyncIterable<TracedTransactions>
  /** Address or slot behind its hash. */
  addressOf(hash: Uint8Array): Uint8Array | undefined
  slotOf(hash: Uint8Array): Uint8Array | undefined
  close(): Promise<void>
}

/** On the writer thread, by chain alone. */
export interface Store extends StoreReader {
  /** Of the last block given to commitBlocks, durable or not; an empty state before the genesis block. */
  headState(): StateVersion
  /** What the changes (types/state-changes.ts) make of the parent; the block's state root comes with it. */
  deriveState(parent: StateVersion, changes: Uint8Array): StateVersion
  /** Throws DISK_FULL where they might not find room. Asked before they are committed, it leaves everything as it was. */
  requireRoom(blocks: readonly StoredBlock[]): void
  /**
   * Blocks that follow each other and the head, in one atomic batch; resolves when it is durable. One at a
   * time; blocks may be executed on the new head meanwhile. A store that failed refuses everything after.
   */
  commitBlocks(blocks: readonly NewBlock[]): Promise<void>
  /** Keeps blocks that are not canonical; they are found by hash. */
  writeSiblings(blocks: readonly StoredBlock[]): Promise<void>
  /**
   * Back to the state after block `to`, in one atomic batch; the blocks above stay as siblings. Throws
   * STATE_UNAVAILABLE below lowestState. `transactionHashes` says whose index entries go.
   */
  unwind(
    to: number,
    transactionHashes: (body: Uint8Array, number: number) => readonly Uint8Array[],
  ): Promise<void>
  setMarks(marks: { readonly safe?: BlockMark; readonly finalized?: BlockMark }): Promise<void>
  /** Adds call trees to canonical blocks: those right below tracedFrom, highest first, which then begins with the last. */
  addTraces(blocks: readonly TracedBlock[]): Promise<void>
  /**
   * Removes the states that the format does not keep, now rather than beside the next blocks, until `mayGoOn` says no. What is left
   * is removed the next time.
   */
  pruneHistory(mayGoOn: (lowest: number, target: number) => boolean): Promise<void>
  /** Removes the call trees of blocks before one, and says how many entries. Those that are left are removed the next time. */
  forgetTraces(before: number, mayGoOn: (removed: number) => boolean): Promise<number>
  /** Resolves when no pruning is under way or due. */
  settled(): Promise<void>
}
