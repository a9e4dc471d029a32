/**
 * A head change, for other threads: removed and added blocks, their transactions, and the next validators. The pool
 * and consensus continue from it without reading blocks.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import { secondsOf } from '#chain/execute/execute.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { ValidatorSet } from '#chain/rules/header-rules.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

export interface BlockChange {
  readonly number: number
  readonly hash: Hash
  /** Its transactions (readIncluded); undefined if the message would be too long, because the store has them. */
  readonly included: Uint8Array | undefined
}

export interface IncludedTransaction {
  readonly hash: Hash
  readonly sender: Address
  readonly nonce: bigint
}

/**
 * A move of the head, emitted when it is durable. If a sequence number is missing, changes were lost, and readers
 * consult the store.
 */
export interface HeadChange extends AnnouncedHead {
  /** Blocks that left the chain, lowest first. */
  readonly removed: readonly BlockChange[]
  /** Blocks that joined the chain, lowest first. The head is the last of them. */
  readonly added: readonly BlockChange[]
  /** Null if there are no validators, or if determining them failed. */
  readonly next: NextValidators | null
}

/** The validators of the block after this one. */
export interface NextValidators extends ValidatorSet {
  readonly parent: Omit<AnnouncedHead, 'sequence'> & { readonly coinbase: Address }
}

export function headAt(sequence: number, { hash, header }: KnownHeader): AnnouncedHead {
  return { sequence, number: Number(header.number), hash, timestamp: secondsOf(header) }
}

export function nextValidatorsOf({ hash, header }: KnownHeader, validatorSet: ValidatorSet): NextValidators {
  const { number, coinbase } = header
  return { parent: { number: Number(number), hash, timestamp: secondsOf(header), coinbase }, ...validatorSet }
}

/** Bytes of a transaction in `included`. */
export const INCLUDED_BYTES = HASH_BYTES + ADDRESS_BYTES + 8
/** Limit for all blocks of one change: about 70,000 transactions. */
const MAX_INCLUDED_BYTES = 4 * 1024 * 1024

/** The blocks of one change, within its limit. */
export class BlockChanges {
  readonly blocks: BlockChange[] = []
  #bytesLeft = MAX_INCLUDED_BYTES

  /** `read` is not called once the limit is reached. */
  add(
    { hash, header: { number } }: KnownHeader,
    read: () => { readonly transactions: readonly Transaction[]; readonly senders: readonly Address[] },
  ): void {
    const included = this.#bytesLeft > 0 ? this.#encode(read()) : undefined
    this.blocks.push({ number: Number(number), hash, included })
  }

  #encode({ transactions, senders }: ReturnType<Parameters<BlockChanges['add']>[1]>): Uint8Array | undefined {
    this.#bytesLeft -= transactions.length * INCLUDED_BYTES
    if (this.#bytesLeft < 0) return undefined
    const bytes = new Uint8Array(transactions.length * INCLUDED_BYTES)
    const view = new DataView(bytes.buffer)
    for (const [index, { hash, nonce }] of transactions.entries()) {
      const at = index * INCLUDED_BYTES
      bytes.set(hashToBytes(hash), at)
      bytes.set(addressToBytes(senders[index]!), at + HASH_BYTES)
      view.setBigUint64(at + HASH_BYTES + ADDRESS_BYTES, nonce)
    }
    return bytes
  }
}

export function countIncluded(bytes: Uint8Array): number {
  return bytes.length / INCLUDED_BYTES
}

export function readIncluded(bytes: Uint8Array): IncludedTransaction[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: countIncluded(bytes) }, (_, index) => {
    const at = index * INCLUDED_BYTES
    const sender = at + HASH_BYTES
    return {
      hash: hashFromBytes(bytes.subarray(at, sender)),
      sender: addressFromBytes(bytes.subarray(sender, sender + ADDRESS_BYTES)),
      nonce: view.getBigUint64(sender + ADDRESS_BYTES),
    }
  })
}
