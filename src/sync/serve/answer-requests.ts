/**
 * What peers ask for, answered from a reader of the store within limits: as many items as Besu sends, as many bytes as geth
 * sends. Each answer is a list of encoded items, which ends where the next would be too much; what is not there is left out, as
 * in every client. The work pauses after every item, so a long answer does not hold up the thread.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import { type HeadersRequest, pooledItem } from '#sync/wire/block-requests.ts'
import {
  BLOCK_MAX_BYTES,
  type EthVersion,
  MAX_BODIES,
  MAX_HEADERS,
  MAX_RECEIPTS,
  OWN_ANSWER_MAX_BYTES,
} from '#sync/wire/eth-codes.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import { encodeBlockReceipts } from './encode-receipts.ts'
import type { PausingWork } from './serve-turns.ts'

/** Hashes that are looked for, for each that an answer may hold: whoever asks for unknown ones must not cost more than others. */
const LOOKS_PER_ITEM = 2

export type Answering = PausingWork<readonly Uint8Array[]>

/** What may follow in an answer. */
class Room {
  readonly items: Uint8Array[] = []
  #bytesLeft = OWN_ANSWER_MAX_BYTES
  readonly #maxItems: number

  constructor(maxItems: number) {
    this.#maxItems = maxItems
  }

  /** False: it does not fit, and the answer ends. The first always does: a peer could not get it otherwise. */
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

/** Of the canonical chain; by hash also a sibling, alone. */
export function* answerHeaders(
  { lookup }: Pick<ChainView, 'lookup'>,
  { from, count, skip, isReverse }: HeadersRequest,
): Answering {
  const room = new Room(Number(count < BigInt(MAX_HEADERS) ? count : BigInt(MAX_HEADERS)))
  const id = typeof from === 'bigint' ? placeOf(from) : from
  const first = room.isFull || id === undefined ? undefined : lookup.header(id)
  if (first === undefined) return []
  room.add(lookup.encodedHeader(first.hash)!)
  if (!lookup.isCanonical(first.hash)) return room.items
  const step = (skip + 1n) * (isReverse ? -1n : 1n)
  for (let number = first.header.number + step; !room.isFull; number += step) {
    // After a reorg the headers that follow may belong to another branch.
    if ((yield) && !isStored(lookup, number - step, room.items.at(-1)!)) break
    const place = placeOf(number)
    const header = place === undefined ? undefined : lookup.encodedHeader(place)
    if (header === undefined || !room.add(header)) break
  }
  return room.items
}

function isStored(lookup: ChainView['lookup'], number: bigint, encoded: Uint8Array): boolean {
  const header = lookup.encodedHeader(Number(number))
  return header !== undefined && equalBytes(header, encoded)
}

/** undefined: no block has it. */
function placeOf(number: bigint): number | undefined {
  return number >= 0n && number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : undefined
}

export function* answerBodies({ lookup }: Pick<ChainView, 'lookup'>, hashes: readonly Hash[]): Answering {
  const room = new Room(MAX_BODIES)
  for (const hash of hashes.slice(0, LOOKS_PER_ITEM * MAX_BODIES)) {
    if (room.isFull) break
    const body = lookup.encodedBody(hash)
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
    const stored = lookup.encodedReceipts(hash)
    // Receipts that fit into no message cannot be sent.
    if (stored !== undefined && stored.length <= BLOCK_MAX_BYTES) {
      const item = yield* encodeBlockReceipts(version, stored, keccak)
      if (item.length <= BLOCK_MAX_BYTES && !room.add(item)) break
    }
    yield
  }
  return room.items
}

/** `transactions`: those of the pool that were asked for, each as it is exchanged; undefined: not there. */
export function* answerPooled(transactions: readonly (Uint8Array | undefined)[]): Answering {
  const room = new Room(transactions.length)
  for (const item of transactions) {
    if (item !== undefined && !room.add(pooledItem(item))) break
    yield
  }
  return room.items
}
