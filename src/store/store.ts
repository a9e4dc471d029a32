/**
 * The room `store` owns the data on disk: blocks, receipts, call trees, flat state, its history, the trie, indexes
 * and marks. It owns no rule: it trusts its input, and headers, bodies and receipts are bytes. `chain` is its only
 * writer, on the writer thread; every other thread reads (openStoreReader).
 *
 * This file declares the stored values; reader.ts and writer.ts read and write them, open-store.ts opens the store.
 * docs/internals/wire/store.md is the format on disk.
 */

import type { Address } from '#types/address.ts'

/** BONSAI keeps the states of recent blocks, FOREST those of all. The names are Besu's. */
export type StorageFormat = 'BONSAI' | 'FOREST'

export interface StoredAccount {
  readonly nonce: bigint
  readonly balance: bigint
  /** 32 bytes, also without code. */
  readonly codeHash: Uint8Array
  /** 32 bytes, also without storage. */
  readonly storageRoot: Uint8Array
  readonly hasStorage: boolean
}

/** The state after one block. Synchronous; an engine's StateSource without block hashes. */
export interface StateReader {
  account(address: Uint8Array): StoredAccount | undefined
  /** 32 bytes; undefined is zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  code(hash: Uint8Array): Uint8Array | undefined
}

/** A state on disk, for any thread. Reads throw STATE_UNAVAILABLE if it has been pruned meanwhile. */
export interface PinnedState extends StateReader {
  readonly number: number
  /** `account` by text, cached: clients ask for the same accounts again and again. */
  accountOf(address: Address): StoredAccount | undefined
  /**
   * Throws STATE_UNAVAILABLE if the chain was reorganised since it was opened, or the block was pruned. Call it after
   * the last read, so an answer never mixes two chains.
   */
  confirm(): void
}

/**
 * The state of the head, or of an uncommitted block as an overlay on its parent. For the writer thread only. Ends
 * when a child or a sibling is given to commitBlocks; use headState then.
 */
export interface StateVersion extends StateReader {
  readonly root: Uint8Array
  /** Number of accounts and slots that differ from the parent. */
  readonly changedKeys: number
}

export interface BlockMark {
  readonly number: number
  readonly hash: Uint8Array
}

export interface Head extends BlockMark {
  /** In seconds, from the header. */
  readonly timestamp: number
}

/** The head and the number of rewinds: if a reader finds the same number twice, it read one chain in between. */
export interface HeadRecord extends Head {
  readonly unwinds: number
}

/** The stored parts of a block, encoded and decoded by chain. */
export interface StoredBlock extends Head {
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** Undefined if not executed, such as siblings that were never canonical. */
  readonly receipts: Uint8Array | undefined
  readonly callTrees: Uint8Array | undefined
  /** Edits of the state before the block (edits.ts), on development networks only. */
  readonly edits?: Uint8Array | undefined
}

export interface NewBlock extends StoredBlock {
  readonly transactionHashes: readonly Uint8Array[]
  /** Log addresses of 20 bytes and topics of 32 bytes; repetitions are harmless. */
  readonly logAddresses: readonly Uint8Array[]
  readonly logTopics: readonly Uint8Array[]
  /** Callers and callees; undefined if call trees are not recorded. */
  readonly parties: TracedParties | undefined
  /** Made by deriveState from the parent's state. */
  readonly state: StateVersion
}

/** An address and the ascending positions of the transactions in which it takes part. */
export interface TracedAddress {
  readonly address: Uint8Array
  readonly transactions: readonly number[]
}

export interface TracedParties {
  readonly callers: readonly TracedAddress[]
  readonly callees: readonly TracedAddress[]
}

/** Call trees of a block that was stored without them, or without its index entries. */
export interface TracedBlock {
  readonly number: number
  readonly hash: Uint8Array
  readonly callTrees: Uint8Array
  readonly parties: TracedParties
}

/** Matches any of the callers and any of the callees; an empty list matches every address. At most one is empty. */
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
  /** Matches any of these addresses; every address if empty. */
  readonly addresses: readonly Uint8Array[]
  /** One list per topic position, matching any of its values; any topic if empty. */
  readonly topics: readonly (readonly Uint8Array[])[]
  /** Checked between pieces of the range. */
  readonly signal?: AbortSignal | undefined
}

export interface StorageProof {
  readonly slot: Uint8Array
  /** 32 bytes; undefined is zero. */
  readonly value: Uint8Array | undefined
  /** RLP of the nodes from the root on; for a missing slot, up to its place. */
  readonly nodes: readonly Uint8Array[]
}

export interface AccountProof {
  readonly account: StoredAccount | undefined
  readonly nodes: readonly Uint8Array[]
  readonly storage: readonly StorageProof[]
}

export interface RootAfter {
  readonly root: Uint8Array
  /** Storage roots of changed accounts that exist afterwards. */
  readonly storageRoots: ReadonlyMap<Address, Uint8Array>
}

export interface HashedSlot {
  readonly hash: Uint8Array
  /** 32 bytes, not zero. */
  readonly value: Uint8Array
}

export type BlockTable = 'header' | 'body' | 'receipts' | 'callTrees' | 'edits'
