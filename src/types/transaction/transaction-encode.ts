import { addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, type RlpItem, rlpScalar } from '#types/rlp.ts'
import { accessListToRlp } from './access-list.ts'
import { authorizationToRlp } from './authorization.ts'
import {
  type Transaction,
  type TransactionSignature,
  transactionV,
  type UnsignedTransaction,
} from './transaction.ts'

const EMPTY = new Uint8Array(0)

/** Makes a transaction, with its bytes and hash, from its fields and a signature. */
export function completeTransaction(
  unsigned: UnsignedTransaction,
  { yParity, r, s }: TransactionSignature,
  keccak: Keccak = keccak256,
): Transaction {
  const v = transactionV(unsigned, yParity)
  const list = encodeRlp([...unsignedFields(unsigned), rlpScalar(v), rlpScalar(r), rlpScalar(s)])
  const encoded = withType(unsigned.type, list)
  return { ...unsigned, yParity, r, s, hash: hashFromBytes(keccak(encoded)), encoded }
}

/** The signed fields, which precede the signature in the encoding. */
export function unsignedFields(unsigned: UnsignedTransaction): RlpItem[] {
  const { nonce, gasLimit, to, value, data } = unsigned
  const call = [rlpScalar(gasLimit), to === null ? EMPTY : addressToBytes(to), rlpScalar(value), data]
  if (unsigned.type === 0) return [rlpScalar(nonce), rlpScalar(unsigned.gasPrice), ...call]
  const accessList = accessListToRlp(unsigned.accessList)
  const identity = [rlpScalar(unsigned.chainId), rlpScalar(nonce)]
  if (unsigned.type === 1) return [...identity, rlpScalar(unsigned.gasPrice), ...call, accessList]
  const fees = [rlpScalar(unsigned.maxPriorityFeePerGas), rlpScalar(unsigned.maxFeePerGas)]
  const feeMarket = [...identity, ...fees, ...call, accessList]
  switch (unsigned.type) {
    case 2:
      return feeMarket
    case 3:
      return [
        ...feeMarket,
        rlpScalar(unsigned.maxFeePerBlobGas),
        unsigned.blobVersionedHashes.map(hashToBytes),
      ]
    case 4:
      return [...feeMarket, unsigned.authorizationList.map(authorizationToRlp)]
  }
}

export function withType(type: number, list: Uint8Array): Uint8Array {
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list)
}
