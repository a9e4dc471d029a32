/**
 * What is stored, decoded: blocks, headers, transactions, receipts, call trees. On any thread: it reads the store and
 * nothing else. Whatever it gives of a number is of one block, also while the chain is reorganised.
 */
import type { StoreReader } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { type Block, type BlockBody, decodeBody } from '#types/block.ts'
import { type BlockHeader, decodeHeader } from '#types/block-header.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import type { Transaction } from '#types/transaction.ts'
import { type FoundLog, type LogFilter, logsInBlock, logsInRange } from './logs.ts'
import type { KnownHeader } from './stages.ts'
import { callTreeAt, decodeStoredCallTrees, type StoredCallTree } from './stored-call-trees.ts'
import { decodeStoredReceipts, type StoredReceipt } from './stored-receipts.ts'

export interface KnownBlock {
  readonly hash: Hash
  readonly block: Block
}

export interface FoundTransaction {
  readonly block: KnownHeader
  readonly index: number
  readonly transaction: Transaction
}

/** A block by its place in the chain or by its hash; by hash, siblings are found too. */
export type BlockId = number | Hash

export class Lookup {
  readonly #store: StoreReader
  readonly #keccak: Keccak

  constructor(store: StoreReader, keccak: Keccak = keccak256) {
    this.#store = store
    this.#keccak = keccak
  }

  /** undefined: nothing is stored yet. */
  headNumber(): number | undefined {
    return this.#store.head()?.number
  }

  head(): KnownHeader | undefined {
    const head = this.#store.head()
    return head && this.header(hashFromBytes(head.hash))
  }

  header(id: BlockId): KnownHeader | undefined {
    const place = this.#place(id)
    return place && { hash: hashFromBytes(place.hash), header: this.#header(place) }
  }

  block(id: BlockId): KnownBlock | undefined {
    const place = this.#place(id)
    if (place === undefined) return undefined
    return { hash: hashFromBytes(place.hash), block: { header: this.#header(place), ...this.#body(place) } }
  }

  /** Whether it is the canonical block of its number, now. */
  isCanonical(hash: Hash): boolean {
    const place = this.#place(hash)
    if (place === undefined) return false
    const canonical = this.#store.canonicalHash(place.number)
    return canonical !== undefined && hashFromBytes(canonical) === hash
  }

  /** Of a canonical block. */
  transaction(hash: Hash): FoundTransaction | undefined {
    const found = this.#store.transaction(hashToBytes(hash))
    const known = found && this.block(found.number)
    const transaction = found && known?.block.transactions[found.index]
    // The chain may have been reorganised between the two reads.
    if (transaction === undefined || transaction.hash !== hash) return undefined
    return { block: { hash: known!.hash, header: known!.block.header }, index: found!.index, transaction }
  }

  /** One per transaction; undefined: unknown, or a sibling that was never executed. */
  receipts(id: BlockId): readonly StoredReceipt[] | undefined {
    const place = this.#place(id)
    const stored = place && this.#store.read('receipts', place.number, place.hash)
    return stored && decodeStoredReceipts(stored)
  }

  /** One per transaction; undefined: unknown, never executed, or not recorded. */
  callTrees(id: BlockId): readonly StoredCallTree[] | undefined {
    const place = this.#place(id)
    const stored = place && this.#store.read('callTrees', place.number, place.hash)
    return stored && decodeStoredCallTrees(stored)
  }

  callTree(id: BlockId, index: number): StoredCallTree | undefined {
    const place = this.#place(id)
    const stored = place && this.#store.read('callTrees', place.number, place.hash)
    return stored && callTreeAt(stored, index)
  }

  /** Of the canonical blocks from one number to another, in order. */
  logs(
    range: { readonly fromBlock: number; readonly toBlock: number },
    filter: LogFilter,
  ): AsyncGenerator<FoundLog, void, undefined> {
    return logsInRange(this.#store, this, range, filter)
  }

  /** Of one block, canonical or not. */
  logsOf(id: BlockId, filter: LogFilter): Generator<FoundLog, void, undefined> {
    return logsInBlock(this, id, filter)
  }

  #place(id: BlockId): Place | undefined {
    if (typeof id === 'number') {
      const hash = this.#store.canonicalHash(id)
      return hash && { number: id, hash }
    }
    const hash = hashToBytes(id)
    const number = this.#store.numberOf(hash)
    return number === undefined ? undefined : { number, hash }
  }

  #header({ number, hash }: Place): BlockHeader {
    const stored = this.#store.read('header', number, hash)
    assert(stored !== undefined, 'A block that has a number has a header.')
    return decodeHeader(stored)
  }

  #body({ number, hash }: Place): BlockBody {
    const stored = this.#store.read('body', number, hash)
    assert(stored !== undefined, 'A block that has a number has a body.')
    return decodeBody(stored, this.#keccak)
  }
}

interface Place {
  readonly number: number
  readonly hash: Uint8Array
}
