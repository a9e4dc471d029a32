import { AmountWire } from '#api/schema/call-object.ts'
import { bigintToBytes, MAX_UINT256 } from '#types/bytes.ts'
import { HASH_BYTES, type Hash, hashFromBytes } from '#types/hash.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'

export const NonceWire = AmountWire.refine((nonce) => nonce <= MAX_NONCE)

/** A number of at most 256 bits. */
export const Word = AmountWire.refine((word) => word <= MAX_UINT256)

export function wordText(word: bigint): Hash {
  return hashFromBytes(bigintToBytes(word, HASH_BYTES))
}
