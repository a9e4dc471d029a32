/** A wallet for tests: signs transactions and packs blobs. The node itself only decodes them. */
import { bytesToBigint, concatBytes } from '#types/bytes.ts'
import { sign } from '#types/curve.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, encodeRlpList, type RlpItem, rlpScalar } from '#types/rlp.ts'
import type { PooledTransaction } from './blob-sidecar.ts'
import type { Transaction, UnsignedTransaction } from './transaction.ts'
import { completeTransaction, unsignedFields, withType } from './transaction-encode.ts'

const EMPTY = new Uint8Array(0)

/** Signs with the private key of a secp256k1 account. */
export function signTransaction(
  unsigned: UnsignedTransaction,
  privateKey: Uint8Array,
  keccak: Keccak = keccak256,
): Transaction {
  const signature = sign(privateKey, keccak(encodeForSigning(unsigned)))
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

export function encodePooledTransaction({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const { encoded } = transaction
  if (sidecar === undefined) return encoded
  const { version, blobs, commitments, proofs } = sidecar
  const items: RlpItem[] = version === 0 ? [] : [Uint8Array.of(version)]
  const rest = [...items, blobs, commitments, proofs].map(encodeRlp)
  return concatBytes(encoded.subarray(0, 1), encodeRlpList([encoded.subarray(1), ...rest]))
}
