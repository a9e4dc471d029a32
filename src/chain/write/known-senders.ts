/**
 * Who sent the transactions of a block, where somebody on another thread knows: the pool recovered most of them when they came.
 * A hash covers the signature, so that its sender can be no other. Hashes and addresses cross one behind the other.
 */
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

/** undefined: not known. */
export type SenderSource = (hash: Hash) => Address | undefined

const HASH_BYTES = 32
const ADDRESS_BYTES = 20
/** Of one question: the thread that answers has others to serve. */
export const MAX_ASKED_SENDERS = 512

export function encodeSenderQuestion(transactions: readonly Transaction[]): Uint8Array {
  return concatBytes(...transactions.map(({ hash }) => hashToBytes(hash)))
}

/** Zeroes stand for what is not known: nobody has the key of that address. */
export function answerSenders(hashes: Uint8Array, source: SenderSource): Uint8Array {
  const count = hashes.length / HASH_BYTES
  const answer = new Uint8Array(count * ADDRESS_BYTES)
  for (let index = 0; index < count; index++) {
    const hash = hashFromBytes(hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES))
    const sender = source(hash)
    if (sender !== undefined) answer.set(addressToBytes(sender), index * ADDRESS_BYTES)
  }
  return answer
}

export function decodeSenders(answer: Uint8Array): (Address | undefined)[] {
  return Array.from({ length: answer.length / ADDRESS_BYTES }, (_, index) => {
    const bytes = answer.subarray(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES)
    return bytes.some((byte) => byte !== 0) ? addressFromBytes(bytes) : undefined
  })
}
