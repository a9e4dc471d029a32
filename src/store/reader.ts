import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { type Edits, editsAfter } from './edits.ts'
import { decodeBlob } from './kv/blob.ts'
import { blockKey, hashKey, MAX_NUMBER, numberKey, TABLE } from './kv/keys.ts'
import type { Kv } from './kv/kv.ts'
import { ValueReader } from './kv/varint.ts'
import { blocksWithLogs } from './logged-blocks.ts'
import { META } from './meta.ts'
import { PastBlocks } from './segments/past-blocks.ts'
import type { ArchivedContents } from './segments/segment.ts'
import { type AccountRecord, accountValue, EMPTY_ROOT } from './state/account-record.ts'
import { type AddressEntries, readEntries } from './state/derive-state.ts'
import {
  lowestState,
  openStateAt,
  type StateAtBlock,
  type StateLimits,
  storageWord,
} from './state/flat-state.ts'
import {
  ALL_NIBBLES,
  accountTrieAt,
  type Basis,
  findBasis,
  nibblesOf,
  storageTrieAt,
} from './state/state-trie.ts'
import { accountLeaf, slotLeaf, slotOfLeaf } from './state/trie-leaf.ts'
import type {
  AccountProof,
  BlockMark,
  BlockTable,
  HashedSlot,
  HeadRecord,
  LoggedBlocksQuery,
  PinnedState,
  RootAfter,
  StorageFormat,
  StorageProof,
  TracedTransactions,
  TraceQuery,
  TransactionPlace,
} from './store.ts'
import { tracedBlocks } from './traced-blocks.ts'
import { leavesFrom } from './trie/leaves.ts'
import { proofOf } from './trie/prove.ts'
import { rootHash, sortChanges, type TrieChange, updateTrie } from './trie/update.ts'

/** The archive of old blocks, for threads that may wait for it. */
export interface OpenArchive extends ArchivedContents {
  close(): void
}

/** Reads durable data, on any thread. */
export class StoreReader {
  readonly format: StorageFormat
  readonly kv: Kv
  readonly limits: StateLimits
  /** Whether the database belongs to a development network, whose state can be edited. */
  readonly isDevelopment: boolean
  /** Blocks that are not in the database any more. */
  readonly past: PastBlocks
  readonly #archive: OpenArchive | undefined
  readonly #keccak: Keccak
  #lastState: StateAtBlock | undefined
  /** The write count before the last state was opened. While it stays the same, that is the state of its block. */
  #lastStateWrites: number | undefined
  #lastStateHash: Uint8Array | undefined
  #lastEdits: { readonly number: number; readonly writes: number; readonly edits: Edits } | undefined

  /** Without `archive`, contents of blocks that are only there are a fault. */
  constructor(kv: Kv, limits: StateLimits, keccak: Keccak, archive?: OpenArchive) {
    this.kv = kv
    this.limits = limits
    this.format = limits.format
    this.#keccak = keccak
    this.#archive = archive
    this.past = new PastBlocks(kv, kv.segmentFolder, this.#archive)
    this.isDevelopment = META.development.read(kv) !== undefined
  }

  /** Returns undefined if nothing is stored yet. */
  head(): HeadRecord | undefined {
    return META.head.read(this.kv)
  }

  /** Returns undefined if no block was marked. */
  safe(): BlockMark | undefined {
    return META.safe.read(this.kv)
  }

  finalized(): BlockMark | undefined {
    return META.finalized.read(this.kv)
  }

  canonicalHash(number: number): Uint8Array | undefined {
    if (!isNumber(number)) return undefined
    return this.kv.get(numberKey(TABLE.canonical, number)) ?? this.past.hash(number)
  }

  /** Covers canonical blocks and siblings. */
  numberOf(hash: Uint8Array): number | undefined {
    const stored = this.kv.get(hashKey(TABLE.number, hash))
    return stored === undefined ? this.past.numberOf(hash) : new ValueReader(stored).varint()
  }

  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    if (!isNumber(number)) return undefined
    return this.#fromDatabase(table, number, hash) ?? this.past.read(table, number, hash)
  }

  #fromDatabase(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    const stored = this.kv.get(blockKey(TABLE[table], number, hash))
    return stored && decodeBlob(stored)
  }

  /** Reads of canonical blocks that have not left the database: their segment may already be only in the archive. */
  get inDatabase(): Pick<StoreReader, 'canonicalHash' | 'read'> {
    return {
      canonicalHash: (number) => this.kv.get(numberKey(TABLE.canonical, number)),
      read: (table, number, hash) => this.#fromDatabase(table, number, hash),
    }
  }

  /**
   * Places in canonical blocks whose transaction may have this hash, one of them if it is stored. Segments store only a
   * part of each hash, so callers compare the complete hash.
   */
  *transactions(hash: Uint8Array): Generator<TransactionPlace, void, undefined> {
    const stored = this.kv.get(hashKey(TABLE.transaction, hash))
    if (stored === undefined) {
      yield* this.past.transactions(hash)
      return
    }
    const reader = new ValueReader(stored)
    yield { number: reader.varint(), index: reader.varint() }
  }

  /** Blocks below this one, except block 0, have only headers: the chain began here with a state from a file. */
  firstBlock(): number {
    return META.firstBlock.read(this.kv) ?? 0
  }

  /** The lowest block whose state can be read. */
  lowestState(): number {
    return lowestState(this.kv, this.limits)
  }

  /**
   * Throws STATE_UNAVAILABLE for a block above the head, below lowestState or with another hash. Repeated calls for
   * the same state return the same object, so values cached by it stay valid.
   */
  stateAt(number: number, hash?: Uint8Array): PinnedState {
    const writes = this.kv.writes?.quiet()
    const last = this.#lastState
    if (last?.number === number && writes !== undefined && writes === this.#lastStateWrites) {
      const known = this.#lastStateHash
      if (hash === undefined || (known !== undefined && equalBytes(hash, known))) return last
    }
    this.#lastState = openStateAt(this.kv, number, this.limits, this.past, hash, last)
    this.#lastStateWrites = writes
    this.#lastStateHash = hash
    return this.#lastState
  }

  /**
   * The edits made while a block was the head, on a development network. The state of the block itself is without them,
   * as its root. `known` is returned again if nothing changed.
   */
  editsAfter(number: number, known?: Edits): Edits {
    const writes = this.kv.writes?.quiet()
    const last = this.#lastEdits
    if (last?.number === number && last.writes === writes) return last.edits
    const edits = this.#readEdits(number, known)
    this.#lastEdits = writes === undefined ? undefined : { number, writes, edits }
    return edits
  }

  #readEdits(number: number, known: Edits | undefined): Edits {
    const snapshot = this.kv.snapshot()
    try {
      return editsAfter(snapshot, number, known)
    } finally {
      snapshot.close()
    }
  }

  /** Throws like stateAt. It may take seconds for large blocks, so do not call it on a thread that must answer. */
  proofAt(number: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return this.#onState(number, (state, findBasis) => prove(state, findBasis(), address, slots))
  }

  /** Hashes of addresses with an account, ascending from `from`. Throws and takes as long as proofAt. */
  accountHashesAt(number: number, from: Uint8Array, limit: number): Uint8Array[] {
    return this.#onState(number, (_, findBasis) => {
      const { root, readNode } = accountTrieAt(findBasis(), ALL_NIBBLES)
      const leaves = leavesFrom(root, readNode, from).take(limit)
      return leaves.map(({ key }) => key).toArray()
    })
  }

  /** Slots of an account by hash, ascending from `from`. Throws and takes as long as proofAt. */
  slotsAt(number: number, address: Uint8Array, from: Uint8Array, limit: number): HashedSlot[] {
    return this.#onState(number, (state, findBasis) => {
      const record = state.record(address)
      if (record === undefined || !record.isAlive || record.storageRoot === EMPTY_ROOT) return []
      const { incarnation, storageRoot } = record
      const { root, readNode } = storageTrieAt(findBasis(), address, incarnation, storageRoot, ALL_NIBBLES)
      const leaves = leavesFrom(root, readNode, from).take(limit)
      return leaves.map(({ key, value }) => ({ hash: key, value: wordOfLeaf(value) })).toArray()
    })
  }

  /** The root of a state after changes (types/state-changes.ts). Throws like proofAt. */
  rootAfter(number: number, changes: Uint8Array): RootAfter {
    return this.#onState(number, (state, findBasis) => rootAfter(state, findBasis(), changes))
  }

  /** Numbers of canonical blocks that may have matching logs, ascending; a superset of those that do. */
  blocksWithLogs(query: LoggedBlocksQuery): AsyncIterable<number> {
    return blocksWithLogs(this, query)
  }

  /** From this block to the head, every block has indexed call trees. */
  tracedFrom(): number {
    return META.tracedFrom.read(this.kv) ?? MAX_NUMBER
  }

  /** Transactions of canonical blocks that may have matching calls, ascending; a superset of those that do. */
  tracedTransactions(query: TraceQuery): AsyncIterable<TracedTransactions> {
    return tracedBlocks(this, query)
  }

  /** The address with this hash. */
  addressOf(hash: Uint8Array): Uint8Array | undefined {
    return this.kv.get(hashKey(TABLE.addressPreimage, hash))
  }

  slotOf(hash: Uint8Array): Uint8Array | undefined {
    return this.kv.get(hashKey(TABLE.slotPreimage, hash))
  }

  async close(): Promise<void> {
    this.past.close()
    this.#archive?.close()
    await this.kv.close()
  }

  #onState<Value>(number: number, read: (state: StateAtBlock, findBasis: () => Basis) => Value): Value {
    const snapshot = this.kv.snapshot()
    try {
      const state = openStateAt(snapshot, number, this.limits, this.past)
      return read(state, () => findBasis(snapshot, this.limits, this.#keccak, state))
    } finally {
      snapshot.close()
    }
  }
}

/** Whether a block can have this number; callers may pass anything. */
function isNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER
}

function prove(
  state: StateAtBlock,
  basis: Basis,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): AccountProof {
  const { keccak } = basis
  const record = state.record(address)
  const key = keccak(address)
  const trie = accountTrieAt(basis, nibblesOf([key]))
  const proof = {
    account: accountValue(record),
    nodes: proofOf(trie.root, key, trie.readNode),
    storage: slots.map((slot): StorageProof => ({ slot, value: undefined, nodes: [] })),
  }
  if (record === undefined || !record.isAlive || record.storageRoot === EMPTY_ROOT || slots.length === 0) {
    return proof
  }
  const keys = slots.map((slot) => keccak(slot))
  const storage = storageTrieAt(basis, address, record.incarnation, record.storageRoot, nibblesOf(keys))
  return {
    ...proof,
    storage: slots.map((slot, index) => ({
      slot,
      value: state.storage(address, slot),
      nodes: proofOf(storage.root, keys[index]!, storage.readNode),
    })),
  }
}

function wordOfLeaf(leaf: Uint8Array): Uint8Array {
  const word = storageWord(slotOfLeaf(leaf))
  assert(word !== undefined, 'A slot in a trie is not zero.')
  return word
}

/** Computes the root of a stored state with changes that are never committed: those of a simulation. */
function rootAfter(state: StateAtBlock, basis: Basis, changes: Uint8Array): RootAfter {
  const { keccak } = basis
  const leaves: TrieChange[] = []
  const storageRoots = new Map<Address, Uint8Array>()
  for (const entry of readEntries(changes).entries) {
    const leaf = leafAfter(basis, state, entry, storageRoots)
    if (leaf !== undefined) leaves.push(leaf)
  }
  const { root, readNode } = accountTrieAt(basis, nibblesFor(leaves))
  const updated = updateTrie(root, sortChanges(leaves), readNode, keccak)
  return { root: rootHash(updated.root, keccak), storageRoots }
}

function leafAfter(
  basis: Basis,
  state: StateAtBlock,
  entry: AddressEntries,
  storageRoots: Map<Address, Uint8Array>,
): TrieChange | undefined {
  const before = state.record(entry.address)
  const survivor = before?.isAlive && !entry.isDestroyed ? before : undefined
  const key = basis.keccak(entry.address)
  const fields = entry.account ?? survivor
  if (fields === undefined) {
    assert(entry.slots.length === 0, 'Storage belongs to an account that exists.')
    return before?.isAlive ? { key, value: null } : undefined
  }
  const { nonce, balance, codeHash } = fields
  const storageRoot = storageRootAfter(basis, entry, survivor)
  storageRoots.set(addressFromBytes(entry.address), storageRoot)
  return { key, value: accountLeaf({ isAlive: true, incarnation: 0, nonce, balance, codeHash, storageRoot }) }
}

function storageRootAfter(
  basis: Basis,
  { address, slots }: AddressEntries,
  before: AccountRecord | undefined,
): Uint8Array {
  const rootBefore = before?.storageRoot ?? EMPTY_ROOT
  if (slots.length === 0) return rootBefore
  const { keccak } = basis
  const leaves = slots.map(({ slot, value }) => ({
    key: keccak(slot),
    value: value.length === 0 ? null : slotLeaf(value),
  }))
  const trie =
    before === undefined || rootBefore === EMPTY_ROOT
      ? { root: null, readNode: () => undefined }
      : storageTrieAt(basis, address, before.incarnation, rootBefore, nibblesFor(leaves))
  return rootHash(updateTrie(trie.root, sortChanges(leaves), trie.readNode, keccak).root, keccak)
}

/** Removing a key may remove its branch, and then its neighbours must be correct as well. */
function nibblesFor(leaves: readonly TrieChange[]): ReadonlySet<number> {
  if (leaves.some(({ value }) => value === null)) return ALL_NIBBLES
  return nibblesOf(leaves.map(({ key }) => key))
}
