/**
 * What moved with the head, for those who follow it on another thread: which blocks came and went, what they include, and
 * who makes the next. A pool and consensus go on from here without reading blocks or asking back.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import { secondsOf } from '#chain/execute/execute.ts'
import type { BlockMakers } from '#chain/rules/header-rules.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

export interface BlockNews {
  readonly number: number
  readonly hash: Hash
  /** Its transactions (readIncluded); undefined where the news would be too long: the store has them. */
  readonly included: Uint8Array | undefined
}

export interface IncludedTransaction {
  readonly hash: Hash
  readonly sender: Address
  readonly nonce: bigint
}

/** Told in the writer's thread when it is durable. */
export interface HeadMoved {
  readonly head: KnownHeader
  /** Blocks that left the chain, lowest first. */
  readonly removed: readonly BlockNews[]
  /** Blocks that came to it, lowest first; the head is the last of them. */
  readonly added: readonly BlockNews[]
  /** Of the block after the head; undefined where validators have no part in it, or where they cannot be told. */
  readonly makers: BlockMakers | undefined
}

/** The head as it crosses threads. */
export interface HeadBlock {
  readonly number: number
  readonly hash: Hash
  /** Seconds. */
  readonly timestamp: number
}

export interface HeadNews extends HeadBlock {
  /** Of this writer, from 1: where one is missing news were lost, and the store knows better. */
  readonly sequence: number
  readonly removed: readonly BlockNews[]
  readonly added: readonly BlockNews[]
  readonly next: NextMakers | null
}

/** Who may make the block after this one. */
export interface NextMakers extends BlockMakers {
  readonly parent: HeadBlock & { readonly coinbase: Address }
}

export function headBlockOf({ hash, header }: KnownHeader): HeadBlock {
  return { number: Number(header.number), hash, timestamp: secondsOf(header) }
}

export function nextMakersOf(parent: KnownHeader, makers: BlockMakers): NextMakers {
  return { parent: { ...headBlockOf(parent), coinbase: parent.header.coinbase }, ...makers }
}

export function headNewsOf({ head, removed, added, makers }: HeadMoved, sequence: number): HeadNews {
  const next = makers === undefined ? null : nextMakersOf(head, makers)
  return { ...headBlockOf(head), sequence, removed, added, next }
}

const HASH_BYTES = 32
const SENDER_BYTES = 20
const INCLUDED_BYTES = HASH_BYTES + SENDER_BYTES + 8
/** Of all blocks in one piece of news: about 70,000 transactions. */
const MAX_INCLUDED_BYTES = 4 * 1024 * 1024

/** The blocks of one piece of news, within its limit. */
export class BlockNewsList {
  readonly blocks: BlockNews[] = []
  #bytesLeft = MAX_INCLUDED_BYTES

  /** `read` is not called any more once the limit is reached. */
  add(
    { hash, header: { number } }: KnownHeader,
    read: () => { readonly transactions: readonly Transaction[]; readonly senders: readonly Address[] },
  ): void {
    const included = this.#bytesLeft > 0 ? this.#encode(read()) : undefined
    this.blocks.push({ number: Number(number), hash, included })
  }

  #encode({
    transactions,
    senders,
  }: ReturnType<Parameters<BlockNewsList['add']>[1]>): Uint8Array | undefined {
    this.#bytesLeft -= transactions.length * INCLUDED_BYTES
    if (this.#bytesLeft < 0) return undefined
    const bytes = new Uint8Array(transactions.length * INCLUDED_BYTES)
    const view = new DataView(bytes.buffer)
    for (const [index, { hash, nonce }] of transactions.entries()) {
      const at = index * INCLUDED_BYTES
      bytes.set(hashToBytes(hash), at)
      bytes.set(addressToBytes(senders[index]!), at + HASH_BYTES)
      view.setBigUint64(at + HASH_BYTES + SENDER_BYTES, nonce)
    }
    return bytes
  }
}

export function readIncluded(bytes: Uint8Array): IncludedTransaction[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / INCLUDED_BYTES }, (_, index) => {
    const at = index * INCLUDED_BYTES
    const sender = at + HASH_BYTES
    return {
      hash: hashFromBytes(bytes.subarray(at, sender)),
      sender: addressFromBytes(bytes.subarray(sender, sender + SENDER_BYTES)),
      nonce: view.getBigUint64(sender + SENDER_BYTES),
    }
  })
}
