/**
 * Transactions without a signature, which a development network accepts from impersonated accounts. In place of r and s they
 * have their sender, so they are encoded, stored and hashed like others, and senders differ in their hashes.
 */
import { type Address, addressToBytes } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Transaction, UnsignedTransaction } from './transaction.ts'
import { completeTransaction } from './transaction-encode.ts'

/** Above every address, so the zero address also has values in the range of signatures. */
const MARK = 1n << 160n

export function markSender(unsigned: UnsignedTransaction, sender: Address, keccak: Keccak): Transaction {
  const mark = MARK | bytesToBigint(addressToBytes(sender))
  return completeTransaction(unsigned, { yParity: 0, r: mark, s: mark }, keccak)
}

/** No key is known whose signatures look like this. */
export function isUnsigned({ r, s }: Pick<Transaction, 'r' | 's'>): boolean {
  return r === s && r >> 160n === 1n
}
