/**
 * Imports a state in hash order into an empty database: flat values, tries and codes, without reading back.
 * Everything up to a mark is one batch with the mark, so a kill loses only later data. The input is trusted; the
 * caller compares the root.
 */
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { writeBlobs, writeCanonical } from '#store/commit.ts'
import { corruptFault, storeFault } from '#store/faults.ts'
import { encodeBlob } from '#store/kv/blob.ts'
import {
  ACCOUNT_TRIE,
  accountKey,
  hashKey,
  nodeKey,
  numberKey,
  storageKey,
  storageTrie,
  TABLE,
  WORD_BYTES,
} from '#store/kv/keys.ts'
import { type Kv, type KvBatch, openLevelKvFor } from '#store/kv/kv.ts'
import { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { writeLogIndex } from '#store/logged-blocks.ts'
import { META } from '#store/meta.ts'
import { beginStore, type StoreOptions } from '#store/open-store.ts'
import { StoreReader } from '#store/reader.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
  MAX_ACCOUNT_RECORD_BYTES,
  writeAccountRecord,
} from '#store/state/account-record.ts'
import { MAX_HEAD_BYTES, writeChangeHead } from '#store/state/change-chain.ts'
import { encodeChangedKeys } from '#store/state/changed-keys.ts'
import { StateAtBlock } from '#store/state/flat-state.ts'
import { writeFirst } from '#store/state/history.ts'
import { accountLeaf, slotLeaf } from '#store/state/trie-leaf.ts'
import type { NewBlock, StateReader } from '#store/store.ts'
import type { TrieNode } from '#store/trie/node.ts'
import { writeStoredNode } from '#store/trie/node-codec.ts'
import { SortedTrie } from '#store/trie/sorted-trie.ts'
import { ADDRESS_BYTES } from '#types/address.ts'
import type { Keccak } from '#types/keccak.ts'

/** The position of the next part in the file; opaque to the store. */
export interface ImportPlace {
  readonly offset: number
  readonly check: number
}

export interface ImportedAccount {
  readonly address: Uint8Array
  /** Without leading zeros. */
  readonly nonce: Uint8Array
  readonly balance: Uint8Array
  /** Undefined without code. */
  readonly codeHash: Uint8Array | undefined
}

export interface ImportedCounts {
  headers: number
  accounts: number
  slots: number
}

/** A block that is stored completely: block 0, or the block of the state. */
export type WholeBlock = Omit<NewBlock, 'state' | 'parties'>

export interface StateImportOptions extends StoreOptions {
  /** The block of the state. */
  readonly number: number
  readonly blockHash: Uint8Array
}

/** The version of tries that were written by a single batch. */
const TRIE_VERSION = 1
/** Larger than any node with its head. */
const NODE_MAX_BYTES = MAX_HEAD_BYTES + 1024

/** Begins an import, or resumes the one begun for the same block. */
export function openStateImport(options: StateImportOptions): Promise<StateImport> {
  const { path, cacheBytes } = options
  return openLevelKvFor(path, { createIfMissing: true, cacheBytes }, (kv) => openStateImportOn(kv, options))
}

/** The same on an open database; tests use one in memory. */
export async function openStateImportOn(
  kv: Kv,
  options: Omit<StateImportOptions, 'path'>,
): Promise<StateImport> {
  await beginStore(kv, options)
  const head = META.head.read(kv)
  if (head !== undefined) {
    const sentence = `The database holds a chain already, up to block ${head.number}. Import the state into another --data-path.`
    throw storeFault('STORE_NOT_EMPTY', { sentence })
  }
  return new StateImport(kv, options, loadFastKeccak())
}

export class StateImport {
  readonly #kv: Kv
  readonly #options: Omit<StateImportOptions, 'path'>
  readonly #keccak: Keccak
  readonly #accounts: SortedTrie
  readonly #storage: SortedTrie
  readonly counts: ImportedCounts = { headers: 0, accounts: 0, slots: 0 }
  /** The position at which an import resumes; undefined at the beginning. */
  readonly resumed: ImportPlace | undefined
  /** Reads saved data. */
  readonly stored: Pick<StoreReader, 'numberOf' | 'canonicalHash' | 'read'>
  #batch: KvBatch
  /** The account whose slots are being added. */
  #account: ImportedAccount | undefined
  /** Codes of the current batch, which cannot be read yet. */
  readonly #newCodes = new Set<string>()
  readonly #node = new Uint8Array(NODE_MAX_BYTES)
  readonly #record = new Uint8Array(MAX_ACCOUNT_RECORD_BYTES)

  constructor(kv: Kv, options: Omit<StateImportOptions, 'path'>, keccak: Keccak) {
    this.#kv = kv
    this.#options = options
    this.#keccak = keccak
    this.#accounts = new SortedTrie(keccak, (path, length, node) =>
      this.#putNode(nodeKey(ACCOUNT_TRIE, path, length), node),
    )
    this.#storage = new SortedTrie(keccak, (path, length, node) =>
      this.#putNode(nodeKey(storageTrie(this.#account!.address, 0), path, length), node),
    )
    const { format, historyBlocks } = options
    this.stored = new StoreReader(kv, { format, historyBlocks }, keccak)
    this.#batch = kv.batch()
    const mark = META.import.read(kv)
    this.resumed = mark === undefined ? undefined : this.#load(mark)
  }

  addHeader(number: number, hash: Uint8Array, header: Uint8Array): void {
    writeBlobs(this.#batch, {
      number,
      hash,
      header,
      body: undefined,
      receipts: undefined,
      callTrees: undefined,
    })
    writeCanonical(this.#batch, { number, hash, transactionHashes: [] })
    this.counts.headers++
  }

  addBlock(block: WholeBlock): void {
    writeBlobs(this.#batch, block)
    writeCanonical(this.#batch, block)
    writeLogIndex(this.#batch, block.number, block.logAddresses, block.logTopics)
  }

  hasCode(hash: Uint8Array): boolean {
    return this.#newCodes.has(textOf(hash)) || this.#kv.get(hashKey(TABLE.code, hash)) !== undefined
  }

  addCode(hash: Uint8Array, code: Uint8Array): void {
    this.#batch.put(hashKey(TABLE.code, hash), encodeBlob(code))
    this.#newCodes.add(textOf(hash))
  }

  /** Returns false if the account is out of order. Copies its views. */
  addAccount(account: ImportedAccount): boolean {
    this.#closeAccount()
    const hash = this.#keccak(account.address)
    if (!this.#accounts.isNext(hash)) return false
    const { address, nonce, balance, codeHash } = account
    this.#account = {
      address: address.slice(),
      nonce: nonce.slice(),
      balance: balance.slice(),
      codeHash: codeHash?.slice(),
    }
    this.#batch.put(hashKey(TABLE.addressPreimage, hash), address)
    this.counts.accounts++
    return true
  }

  /** Adds a slot, without leading zeros, to the last account. Returns false if it is out of order. */
  addSlot(slot: Uint8Array, value: Uint8Array): boolean {
    const hash = this.#keccak(slot)
    if (this.#account === undefined || !this.#storage.isNext(hash)) return false
    this.#storage.add(hash, slotLeaf(value))
    writeFirst(this.#batch, storageKey(this.#account.address, 0, slot), value, this.#options.number)
    this.#batch.put(hashKey(TABLE.slotPreimage, hash), slot)
    this.counts.slots++
    return true
  }

  /** Saves the state so far, so the import can resume here. Throws DISK_FULL if there is no room. */
  async save(place: ImportPlace): Promise<void> {
    META.import.write(this.#batch, this.#markAt(place))
    await this.#write()
  }

  /** Ends the accounts and returns the state root. */
  async finishState(): Promise<Uint8Array> {
    this.#closeAccount()
    const root = this.#accounts.finish()
    await this.#write()
    return root
  }

  /** The imported state, once it is complete. */
  state(): StateReader {
    return new StateAtBlock(this.#kv, this.#options.number, 0, this.#options.historyBlocks)
  }

  /** Turns the database into a chain whose head is the block of the state. */
  async complete(root: Uint8Array, timestamp: number): Promise<void> {
    const { number, blockHash } = this.#options
    const batch = this.#batch
    META.trie.write(batch, { version: TRIE_VERSION, behind: number, nextSlot: 0, root })
    const marks = { batchEnd: number, trieBehind: number, anchor: number, packedInto: undefined }
    const keys = { timestamp, trieVersion: TRIE_VERSION, ...marks, accounts: [] }
    batch.put(numberKey(TABLE.changedKeys, number), encodeChangedKeys(number, keys))
    META.lowest.write(batch, number)
    META.firstBlock.write(batch, number)
    META.tracedFrom.write(batch, number + 1)
    META.head.write(batch, { number, hash: blockHash, timestamp, unwinds: 0 })
    META.import.remove(batch)
    this.#kv.requireRoom(batch.bytes)
    await batch.write({ sync: true })
  }

  async close(): Promise<void> {
    await this.#kv.close()
  }

  /** Not synced: a power failure loses batches from the end, each with its mark. */
  async #write(): Promise<void> {
    this.#kv.requireRoom(this.#batch.bytes)
    await this.#batch.write({ sync: false })
    this.#batch = this.#kv.batch()
    this.#newCodes.clear()
  }

  #closeAccount(): void {
    if (this.#account === undefined) return
    const { address, nonce, balance, codeHash } = this.#account
    const storageRoot = this.#storage.isEmpty ? EMPTY_ROOT : this.#storage.finish()
    const record: AccountRecord = {
      isAlive: true,
      incarnation: 0,
      nonce,
      balance,
      codeHash: codeHash ?? EMPTY_CODE_HASH,
      storageRoot,
    }
    const end = writeAccountRecord(this.#record, 0, record)
    writeFirst(this.#batch, accountKey(address), this.#record.subarray(0, end), this.#options.number)
    this.#accounts.add(this.#keccak(address), accountLeaf(record))
    this.#account = undefined
  }

  #putNode(key: Buffer, node: TrieNode): void {
    const at = writeChangeHead(this.#node, 0, TRIE_VERSION, 0, [])
    this.#batch.put(key, this.#node.subarray(0, writeStoredNode(this.#node, at, node)))
  }

  #markAt({ offset, check }: ImportPlace): Uint8Array {
    const writer = new ValueWriter(4096)
    writer.append(this.#options.blockHash)
    writer.varint(offset)
    writer.varint(check)
    for (const count of [this.counts.headers, this.counts.accounts, this.counts.slots]) writer.varint(count)
    writer.varint(this.#account === undefined ? 0 : 1)
    if (this.#account !== undefined) {
      const { address, nonce, balance, codeHash } = this.#account
      writer.append(address)
      for (const bytes of [nonce, balance, codeHash ?? new Uint8Array(0)]) {
        writer.varint(bytes.length)
        writer.append(bytes)
      }
    }
    this.#accounts.save(writer)
    this.#storage.save(writer)
    return writer.view().slice()
  }

  #load(mark: Uint8Array): ImportPlace {
    const reader = new ValueReader(mark)
    if (Buffer.compare(reader.take(WORD_BYTES), this.#options.blockHash) !== 0) {
      const sentence =
        'An import of the state of another block is unfinished in this database. Continue with that file, or ' +
        'remove the database directory.'
      throw storeFault('STORE_UNFINISHED', { sentence })
    }
    const place = { offset: reader.varint(), check: reader.varint() }
    this.counts.headers = reader.varint()
    this.counts.accounts = reader.varint()
    this.counts.slots = reader.varint()
    if (reader.varint() === 1) {
      const address = reader.take(ADDRESS_BYTES).slice()
      const nonce = reader.take(reader.varint()).slice()
      const balance = reader.take(reader.varint()).slice()
      const codeHash = reader.take(reader.varint()).slice()
      this.#account = { address, nonce, balance, codeHash: codeHash.length === 0 ? undefined : codeHash }
    }
    this.#accounts.load(reader)
    this.#storage.load(reader)
    if (reader.left !== 0) throw corruptFault('the mark of an import')
    return place
  }
}

function textOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('latin1')
}
