/**
 * Answers requests from the store within limits: Besu's item counts, geth's byte counts. An answer is a list of encoded items
 * that ends before the next would be too much; missing items are left out, as in every client. The work pauses after every
 * item, so a long answer does not block the thread.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import { ifReadable } from '#sync/if-readable.ts'
import { type HeadersRequest, pooledItem } from '#sync/wire/block-requests.ts'
import {
  BLOCK_MAX_BYTES,
  type EthVersion,
  MAX_BODIES,
  MAX_HEADERS,
  MAX_RECEIPTS,
  OWN_ANSWER_MAX_BYTES,
} from '#sync/wire/eth-codes.ts'
import { addToBloom, bloomBits, emptyBloom } from '#types/block/bloom.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { PausingWork } from './serve-turns.ts'

/** Hashes looked up per item that fits into an answer, so requests for unknown hashes cost no more than others. */
const LOOKS_PER_ITEM = 2

export type Answering = PausingWork<readonly Uint8Array[]>

/** The remaining capacity of an answer. */
class Room {
  readonly items: Uint8Array[] = []
  #bytesLeft = OWN_ANSWER_MAX_BYTES
  readonly #maxItems: number

  constructor(maxItems: number) {
    this.#maxItems = maxItems
  }

  /** Returns false if the item does not fit. The first always fits, otherwise a peer could never get it. */
  add(item: Uint8Array): boolean {
    if (this.items.length > 0 && item.length > this.#bytesLeft) return false
    this.#bytesLeft -= item.length
    this.items.push(item)
    return true
  }

  get isFull(): boolean {
    return this.items.length >= this.#maxItems
  }
}

/** Headers of the canonical chain; a single header from another branch if it is requested by hash. */
export function* answerHeaders(
  { lookup }: Pick<ChainView, 'lookup'>,
  { from, count, skip, isReverse }: HeadersRequest,
): Answering {
  const room = new Room(Number(count < BigInt(MAX_HEADERS) ? count : BigInt(MAX_HEADERS)))
  const id = typeof from === 'bigint' ? placeOf(from) : from
  const first = room.isFull || id === undefined ? undefined : ifReadable(() => lookup.header(id))
  const encoded = first && ifReadable(() => lookup.encodedHeader(first.hash))
  if (first === undefined || encoded === undefined) return []
  room.add(encoded)
  if (ifReadable(() => lookup.isCanonical(first.hash)) !== true) return room.items
  const step = (skip + 1n) * (isReverse ? -1n : 1n)
  for (let number = first.header.number + step; !room.isFull; number += step) {
    // After a reorg, the next headers may belong to another branch.
    if ((yield) && !isStored(lookup, number - step, room.items.at(-1)!)) break
    const place = placeOf(number)
    const header = place === undefined ? undefined : ifReadable(() => lookup.encodedHeader(place))
    if (header === undefined || !room.add(header)) break
  }
  return room.items
}

function isStored(lookup: ChainView['lookup'], number: bigint, encoded: Uint8Array): boolean {
  const header = ifReadable(() => lookup.encodedHeader(Number(number)))
  return header !== undefined && equalBytes(header, encoded)
}

/** Returns undefined if the number is out of range. */
function placeOf(number: bigint): number | undefined {
  return number >= 0n && number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : undefined
}

export function* answerBodies({ lookup }: Pick<ChainView, 'lookup'>, hashes: readonly Hash[]): Answering {
  const room = new Room(MAX_BODIES)
  for (const hash of hashes.slice(0, LOOKS_PER_ITEM * MAX_BODIES)) {
    if (room.isFull) break
    const body = ifReadable(() => lookup.encodedBody(hash))
    if (body !== undefined && !room.add(body)) break
    yield
  }
  return room.items
}

export function* answerReceipts(
  { lookup, keccak }: Pick<ChainView, 'lookup' | 'keccak'>,
  version: EthVersion,
  hashes: readonly Hash[],
): Answering {
  const room = new Room(MAX_RECEIPTS)
  for (const hash of hashes.slice(0, LOOKS_PER_ITEM * MAX_RECEIPTS)) {
    if (room.isFull) break
    const stored = ifReadable(() => lookup.encodedReceipts(hash))
    // Receipts too large for a message cannot be sent.
    if (stored !== undefined && stored.length <= BLOCK_MAX_BYTES) {
      const item = yield* encodeBlockReceipts(version, stored, keccak)
      if (item.length <= BLOCK_MAX_BYTES && !room.add(item)) break
    }
    yield
  }
  return room.items
}

/** `transactions` are the requested pool transactions in exchange encoding; undefined if missing. */
export function* answerPooled(transactions: readonly (Uint8Array | undefined)[]): Answering {
  const room = new Room(transactions.length)
  for (const item of transactions) {
    if (item !== undefined && !room.add(pooledItem(item))) break
    yield
  }
  return room.items
}

/** The gas limit bounds the logs of a block far below this. */
const ITEMS_MAX = 10_000_000
/** The encoding of type 0. */
const LEGACY = 0x80

/**
 * Encodes a block's receipts for an answer: up to eth/68 as in the trie, with blooms; from 69 on flat and without. Clients can
 * fill a block with hundreds of thousands of logs, so logs are copied as stored, and the work pauses after each. `stored` has
 * the format of docs/internals/wire/chain.md.
 */
function* encodeBlockReceipts(
  version: EthVersion,
  stored: Uint8Array,
  keccak: Keccak,
): PausingWork<Uint8Array> {
  const receipts: Uint8Array[] = []
  for (const receipt of encodedRlpItems(stored, ITEMS_MAX)) {
    const [type, , outcome, gas, logs] = [...encodedRlpItems(receipt)] as [
      type: Uint8Array,
      sender: Uint8Array,
      outcome: Uint8Array,
      gas: Uint8Array,
      logs: Uint8Array,
    ]
    if (version >= 69) receipts.push(encodeRlpList([type, outcome, gas, logs]))
    else {
      const bloom = yield* bloomOf(logs, keccak)
      const list = encodeRlpList([outcome, gas, encodeRlp(bloom), logs])
      receipts.push(type[0] === LEGACY ? list : encodeRlp(concatBytes(type, list)))
    }
    yield
  }
  return encodeRlpList(receipts)
}

function* bloomOf(logs: Uint8Array, keccak: Keccak): PausingWork<Uint8Array> {
  const bloom = emptyBloom()
  for (const log of encodedRlpItems(logs, ITEMS_MAX)) {
    const [address, topics] = [...encodedRlpItems(log)] as [Uint8Array, Uint8Array, Uint8Array]
    for (const item of [address, ...encodedRlpItems(topics)]) {
      // The first byte is the length.
      addToBloom(bloom, bloomBits(item.subarray(1), keccak))
    }
    yield
  }
  return bloom
}
