/**
 * Asks another thread for the senders of a block's transactions: the pool recovered most of them on arrival. The hash
 * covers the signature, so it determines the sender. Hashes and addresses cross as concatenated bytes.
 */
import { ADDRESS_BYTES, type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

export type SenderSource = (hash: Hash) => Address | undefined

/** Maximum hashes per request, because the answering thread has other work. */
export const MAX_ASKED_SENDERS = 512

export function encodeSenderQuestion(transactions: readonly Transaction[]): Uint8Array {
  return concatBytes(...transactions.map(({ hash }) => hashToBytes(hash)))
}

/** Zeros mean unknown, because the zero address has no key. */
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
