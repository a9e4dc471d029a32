/**
 * Decodes stored blocks, headers, transactions, receipts and call trees. Works on any thread, because it reads only
 * the store. A result for a number always describes one block, even during a reorg.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import { callTreesAt, decodeStoredCallTrees, type StoredCallTree } from '#chain/block/stored-call-trees.ts'
import {
  decodeReceiptAt,
  decodeStoredReceipts,
  type PlacedReceipt,
  receiptAmong,
  type StoredReceipt,
} from '#chain/block/stored-receipts.ts'
import { chainFault } from '#chain/faults.ts'
import { ByteCache, isAgain } from '#platform/byte-cache.ts'
import type { StoreReader } from '#store/reader.ts'
import type { BlockTable } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type Block, decodeBody, encodedTransactions } from '#types/block/block.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { rlpListLength, rlpListStart } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import {
  type FoundLog,
  indexedValues,
  type LogPattern,
  logsInBlock,
  logsInRange,
  type SearchedRange,
} from './logs.ts'

export interface KnownBlock {
  readonly hash: Hash
  readonly block: Block
}

export interface SizedBlock extends KnownBlock {
  /** Length of the complete block in RLP. */
  readonly size: number
}

export interface TransactionsWithCalls {
  readonly number: number
  /** Undefined if every transaction may match. */
  readonly positions: readonly number[] | undefined
}

export interface TransactionInBlock {
  readonly known: KnownHeader
  readonly index: number
  readonly transaction: Transaction
}

/** A canonical block by number, or any stored block by hash. */
export type BlockId = number | Hash

/** Size of decoded transactions and receipts of ERC-20 transfers per stored byte, without the heap's own waste. */
const DECODED_FACTOR = 6
const MIB = 1024 * 1024
const HEADERS_MAX_BYTES = 4 * MIB
const BLOCKS_MAX_BYTES = 32 * MIB
const RECEIPTS_MAX_BYTES = 32 * MIB
const HASHES_MAX_BYTES = 16 * MIB
const HASH_TEXT_BYTES = 128
/** Blocks whose last read of a single transaction or receipt is remembered. */
const VISITED_MAX = 1_024

export class Lookup {
  readonly #store: StoreReader
  readonly #keccak: Keccak
  // Keyed by hash, so entries never become stale.
  readonly #headers = new ByteCache<Hash, BlockHeader>(HEADERS_MAX_BYTES)
  readonly #blocks = new ByteCache<Hash, SizedBlock>(BLOCKS_MAX_BYTES)
  readonly #hashes = new ByteCache<Hash, Hash[]>(HASHES_MAX_BYTES)
  readonly #receipts = new ByteCache<Hash, readonly StoredReceipt[]>(RECEIPTS_MAX_BYTES)
  /**
   * Blocks of which one transaction, or one receipt, was read. The next such read decodes and caches all of them; a first
   * one does not, because reads of random old transactions would fill the caches with garbage.
   */
  readonly #visitedBlocks = new ByteCache<Hash, true>(VISITED_MAX)
  readonly #visitedReceipts = new ByteCache<Hash, true>(VISITED_MAX)

  constructor(store: StoreReader, keccak: Keccak = keccak256) {
    this.#store = store
    this.#keccak = keccak
  }

  /** Returns undefined if nothing is stored yet. */
  headNumber(): number | undefined {
    return this.#store.head()?.number
  }

  header(id: BlockId): KnownHeader | undefined {
    const hash = this.#hash(id)
    const known = hash && this.#headers.get(hash)
    if (hash !== undefined && known !== undefined) return { hash, header: known }
    const place = this.#place(id, hash)
    if (hash === undefined || place === undefined) return undefined
    return { hash, header: this.#headerAt(hash, place) }
  }

  #headerAt(hash: Hash, place: Place): BlockHeader {
    const known = this.#headers.get(hash)
    if (known !== undefined) return known
    const bytes = this.#bytes('header', place)
    const header = decodeHeader(bytes)
    this.#headers.set(hash, header, DECODED_FACTOR * bytes.length)
    return header
  }

  /** Returns undefined if the header is not cached. */
  headerInMemory(hash: Hash): KnownHeader | undefined {
    const header = this.#headers.get(hash)
    return header && { hash, header }
  }

  /** Blocks from this one on are complete on this disk, so peers get them. */
  firstBlockOnDisk(): number {
    return Math.max(this.#store.firstBlock(), this.#store.past.firstOnDisk())
  }

  /** Throws HISTORY_UNAVAILABLE if only the header is stored. */
  block(id: BlockId): SizedBlock | undefined {
    const hash = this.#hash(id)
    const known = hash && this.#blocks.get(hash)
    if (known !== undefined) return known
    const place = this.#place(id, hash)
    if (hash === undefined || place === undefined) return undefined
    const header = this.#bytes('header', place)
    this.requireWhole(place.number)
    const body = this.#bytes('body', place)
    const block: SizedBlock = {
      hash,
      block: { header: decodeHeader(header), ...decodeBody(body, this.#keccak) },
      // A block is a list of the header and the items of the body.
      size: rlpListLength(header.length + body.length - rlpListStart(body)),
    }
    this.#blocks.set(hash, block, DECODED_FACTOR * block.size)
    return block
  }

  encodedHeader(id: BlockId): Uint8Array | undefined {
    const place = this.#place(id)
    return place && this.#bytes('header', place)
  }

  /** Returns the RLP without decoding it; undefined if the block is unknown or only its header is stored. */
  encodedBody(id: BlockId): Uint8Array | undefined {
    return this.#stored('body', this.#place(id))
  }

  /** Returns the stored encoding; undefined if the block is unknown, never executed or only its header is stored. */
  encodedReceipts(id: BlockId): Uint8Array | undefined {
    return this.#stored('receipts', this.#place(id))
  }

  /** Blocks below this one, except block 0, have only headers. */
  firstBlock(): number {
    return this.#store.firstBlock()
  }

  /** Throws HISTORY_UNAVAILABLE if only the header of a block is stored, from `number` to `last`. */
  requireWhole(number: number, last = number): void {
    const first = this.#store.firstBlock()
    const { past } = this.#store
    const end = Math.min(first, last + 1)
    let missing = Math.max(1, number)
    while (missing < end && past.isArchived(missing)) missing = past.endOfRange(missing)
    if (number === 0 || missing >= end) return
    const sentence = `Of block ${missing} only the header is stored: complete blocks begin with ${first}.`
    throw chainFault('HISTORY_UNAVAILABLE', { sentence })
  }

  isCanonical(hash: Hash): boolean {
    const place = this.#place(hash)
    if (place === undefined) return false
    const canonical = this.#store.canonicalHash(place.number)
    return canonical !== undefined && hashFromBytes(canonical) === hash
  }

  /** Finds a transaction of a canonical block. */
  transactionInBlock(hash: Hash): TransactionInBlock | undefined {
    for (const { number, index } of this.#store.transactions(hashToBytes(hash))) {
      const found = this.#transactionAt(number, index)
      // Another one may be there: places of old blocks are candidates, and the chain may have been reorganised.
      if (found?.transaction.hash === hash) return found
    }
    return undefined
  }

  /** The complete block of a transaction in a canonical block. */
  blockWith(transaction: Hash): { readonly known: SizedBlock; readonly index: number } | undefined {
    const found = this.transactionInBlock(transaction)
    const known = found && this.block(found.known.hash)
    return known && found && { known, index: found.index }
  }

  #transactionAt(number: number, index: number): TransactionInBlock | undefined {
    const hash = this.#hash(number)
    if (hash === undefined) return undefined
    const block = isAgain(this.#visitedBlocks, hash) ? this.block(hash) : this.#blocks.get(hash)
    if (block !== undefined) {
      const { header, transactions } = block.block
      const transaction = transactions[index]
      return transaction && { known: { hash, header }, index, transaction }
    }
    const place = { number, hash: hashToBytes(hash) }
    const header = this.#headerAt(hash, place)
    this.requireWhole(number)
    const encoded = encodedTransactions(this.#bytes('body', place))[index]
    return (
      encoded && { known: { hash, header }, index, transaction: decodeTransaction(encoded, this.#keccak) }
    )
  }

  /** Hashes one transaction without decoding the others; the block must be stored. */
  transactionHash(block: Hash, index: number): Hash {
    const known = this.#blocks.get(block)
    if (known !== undefined) return known.block.transactions[index]!.hash
    const hashes = this.#hashes.get(block) ?? []
    hashes[index] ??= this.#hashAt(block, index, hashes)
    return hashes[index]!
  }

  #hashAt(block: Hash, index: number, hashes: Hash[]): Hash {
    const place = this.#place(block)
    assert(place !== undefined, 'The block was read before.')
    const encoded = encodedTransactions(this.#bytes('body', place))
    this.#hashes.set(block, hashes, HASH_TEXT_BYTES * encoded.length)
    return hashFromBytes(this.#keccak(encoded[index]!))
  }

  /**
   * One per transaction; undefined if the block is unknown or a sibling that was never executed. Throws
   * HISTORY_UNAVAILABLE if only the header is stored.
   */
  receipts(id: BlockId): readonly StoredReceipt[] | undefined {
    const hash = this.#hash(id)
    const known = hash && this.#receipts.get(hash)
    if (known !== undefined) return known
    const place = this.#place(id, hash)
    const stored = this.#stored('receipts', place)
    if (place !== undefined && stored === undefined) this.requireWhole(place.number)
    if (hash === undefined || stored === undefined) return undefined
    const receipts = decodeStoredReceipts(stored)
    this.#receipts.set(hash, receipts, DECODED_FACTOR * stored.length)
    return receipts
  }

  /** One of the receipts, undefined if they are. */
  receiptAt({ hash, header }: KnownHeader, index: number): PlacedReceipt | undefined {
    const all = isAgain(this.#visitedReceipts, hash) ? this.receipts(hash) : this.#receipts.get(hash)
    if (all !== undefined) return receiptAmong(all, index)
    const number = Number(header.number)
    const stored = this.#stored('receipts', { number, hash: hashToBytes(hash) })
    if (stored === undefined) this.requireWhole(number)
    return stored && decodeReceiptAt(stored, index)
  }

  /** One per transaction; undefined if the block is unknown, never executed or not recorded. */
  callTrees(id: BlockId): readonly StoredCallTree[] | undefined {
    const stored = this.#stored('callTrees', this.#place(id))
    return stored && decodeStoredCallTrees(stored)
  }

  callTreesAt(id: BlockId, positions: readonly number[]): ReadonlyMap<number, StoredCallTree> | undefined {
    const stored = this.#stored('callTrees', this.#place(id))
    return stored && callTreesAt(stored, positions)
  }

  /** The call trees if an address is in one of them; undefined otherwise, after a search through the bytes only. */
  callTreesNaming(id: BlockId, address: Address): readonly StoredCallTree[] | undefined {
    const stored = this.#stored('callTrees', this.#place(id))
    if (stored === undefined) return undefined
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
    return bytes.indexOf(addressToBytes(address)) < 0 ? undefined : decodeStoredCallTrees(stored)
  }

  /** Yields the logs of canonical blocks in order, a few blocks at a time. */
  logs(
    range: SearchedRange,
    filter: LogPattern,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly FoundLog[], void, undefined> {
    return logsInRange(this.#store, this, range, filter, signal)
  }

  /** Yields the numbers of blocks that `logs` may have to read, ascending. */
  blocksWithLogs(range: SearchedRange, filter: LogPattern, signal?: AbortSignal): AsyncIterable<number> {
    return this.#store.blocksWithLogs({ ...range, ...indexedValues(filter), signal })
  }

  /** The block may be canonical or not. */
  logsOf(id: BlockId, filter: LogPattern): readonly FoundLog[] {
    const known = this.header(id)
    return known === undefined ? [] : logsInBlock(this, known, filter)
  }

  /**
   * Yields the transactions of canonical blocks, in order, that may contain a call from any of the callers to any of
   * the callees; an empty list matches every address.
   */
  async *transactionsWithCalls(
    { fromBlock, toBlock }: { readonly fromBlock: number; readonly toBlock: number },
    callers: readonly Address[],
    callees: readonly Address[],
  ): AsyncGenerator<TransactionsWithCalls, void, undefined> {
    const isFiltered = callers.length + callees.length > 0
    const indexedFrom = isFiltered ? Math.max(fromBlock, this.#store.tracedFrom()) : toBlock + 1
    for (let number = fromBlock; number < Math.min(indexedFrom, toBlock + 1); number++) {
      yield { number, positions: undefined }
    }
    if (indexedFrom > toBlock) return
    const query = { callers: callers.map(addressToBytes), callees: callees.map(addressToBytes) }
    for await (const { number, transactions } of this.#store.tracedTransactions({
      fromBlock: indexedFrom,
      toBlock,
      ...query,
    })) {
      yield { number, positions: transactions }
    }
  }

  #hash(id: BlockId): Hash | undefined {
    if (typeof id === 'string') return id
    const hash = this.#store.canonicalHash(id)
    return hash && hashFromBytes(hash)
  }

  /** `hash` is the hash of the block, passed if the caller knows it. */
  #place(id: BlockId, hash = this.#hash(id)): Place | undefined {
    if (hash === undefined) return undefined
    const bytes = hashToBytes(hash)
    const known = this.#headers.get(hash)?.number
    const number =
      typeof id === 'number' ? id : known === undefined ? this.#store.numberOf(bytes) : Number(known)
    return number === undefined ? undefined : { number, hash: bytes }
  }

  #stored(table: BlockTable, place: Place | undefined): Uint8Array | undefined {
    return place && this.#store.read(table, place.number, place.hash)
  }

  #bytes(table: 'header' | 'body', place: Place): Uint8Array {
    const stored = this.#stored(table, place)
    assert(stored !== undefined, `A block that has a number has a ${table}.`)
    return stored
  }
}

interface Place {
  readonly number: number
  readonly hash: Uint8Array
}
