/** Signs transactions, for the accounts of the development network and for tests. */
import { bytesToBigint } from '#types/bytes.ts'
import { type Sign, sign } from '#types/curve.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import type { Transaction, UnsignedTransaction } from './transaction.ts'
import { completeTransaction, unsignedFields, withType } from './transaction-encode.ts'

const EMPTY = new Uint8Array(0)

/** Signs with the private key of a secp256k1 account. */
export function signTransaction(
  unsigned: UnsignedTransaction,
  privateKey: Uint8Array,
  keccak: Keccak = keccak256,
  signDigest: Sign = sign,
): Transaction {
  const signature = signDigest(privateKey, keccak(encodeForSigning(unsigned)))
  return completeTransaction(
    unsigned,
    {
      yParity: signature[64] === 1 ? 1 : 0,
      r: bytesToBigint(signature.subarray(0, 32)),
      s: bytesToBigint(signature.subarray(32, 64)),
    },
    keccak,
  )
}

/** The bytes whose hash is signed. */
export function encodeForSigning(unsigned: UnsignedTransaction): Uint8Array {
  const fields = unsignedFields(unsigned)
  if (unsigned.type !== 0) return withType(unsigned.type, encodeRlp(fields))
  if (unsigned.chainId === null) return encodeRlp(fields)
  return encodeRlp([...fields, rlpScalar(unsigned.chainId), EMPTY, EMPTY])
}
