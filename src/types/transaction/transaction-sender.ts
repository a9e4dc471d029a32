/** The sender of a transaction: its signing hash, cut from its own bytes, and the key recovered from the signature. */
import type { Address } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpItemEnd, rlpListHeader, rlpListStart, rlpScalar } from '#types/rlp.ts'
import { type Recover, signatureToBytes } from './signature.ts'
import type { Transaction } from './transaction.ts'

/** Items before the signature, by type. */
const UNSIGNED_ITEMS = [6, 8, 9, 11, 10] as const
/** Two empty items, which EIP-155 signs in place of r and s. */
const NO_SIGNATURE = Uint8Array.of(0x80, 0x80)

/**
 * Throws a Fault if no key can have made the signature. validateTransaction checks whether s is low, which depends on
 * the fork.
 */
export function recoverSender(
  transaction: Transaction,
  recover: Recover = recoverPublicKey,
  keccak: Keccak = keccak256,
): Address {
  const { r, s, yParity } = transaction
  const publicKey = recover(signingHash(transaction, keccak), signatureToBytes(r, s, yParity))
  return addressFromPublicKey(publicKey, keccak)
}

/** Cut from the encoded transaction, at a fifth of the cost of encoding its fields again. */
export function signingHash(transaction: Transaction, keccak: Keccak = keccak256): Uint8Array {
  const { type, chainId, encoded } = transaction
  const list = type === 0 ? encoded : encoded.subarray(1)
  const from = rlpListStart(list)
  let end = from
  for (let item = 0; item < UNSIGNED_ITEMS[type]; item++) end = rlpItemEnd(list, end)
  const fields = list.subarray(from, end)
  if (type !== 0) return keccak(concatBytes(encoded.subarray(0, 1), rlpListHeader(fields.length), fields))
  if (chainId === null) return keccak(concatBytes(rlpListHeader(fields.length), fields))
  const chain = encodeRlp(rlpScalar(chainId))
  const length = fields.length + chain.length + NO_SIGNATURE.length
  return keccak(concatBytes(rlpListHeader(length), fields, chain, NO_SIGNATURE))
}
