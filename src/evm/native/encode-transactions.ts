/** Transactions as the native engine takes them. docs/wire/engine-native.md is the specification. */

import type { ByteWriter } from '#evm/byte-writer.ts'
import type { EngineTransaction } from '#evm/engine.ts'
import { addressToBytes } from '#types/address.ts'
import type { Authorization } from '#types/authorization.ts'
import { hashToBytes } from '#types/hash.ts'
import type { UnsignedTransaction } from '#types/transaction.ts'
import { maxFeePerGas, maxPriorityFeePerGas } from '#types/transaction-fees.ts'
import { clampToUint64 } from './encode-settings.ts'

export function encodeTransactions(
  writer: ByteWriter,
  transactions: readonly EngineTransaction[],
): Uint8Array {
  writer.uint32(transactions.length)
  for (const { transaction, sender } of transactions) {
    writer.uint8(transaction.type)
    writer.bytes(addressToBytes(sender))
    encodeCall(writer, transaction)
    encodeLists(writer, transaction)
  }
  return writer.finish()
}

function encodeCall(writer: ByteWriter, transaction: UnsignedTransaction): void {
  const { to } = transaction
  writer.uint64(transaction.nonce)
  writer.uint64(clampToUint64(transaction.gasLimit))
  writer.uint256(maxFeePerGas(transaction))
  writer.uint256(maxPriorityFeePerGas(transaction))
  writer.uint256(transaction.value)
  writer.uint8(to === null ? 0 : 1)
  if (to !== null) writer.bytes(addressToBytes(to))
  writer.sizedBytes(transaction.data)
}

function encodeLists(writer: ByteWriter, transaction: UnsignedTransaction): void {
  if (transaction.type === 0) return
  writer.uint32(transaction.accessList.length)
  for (const { address, storageKeys } of transaction.accessList) {
    writer.bytes(addressToBytes(address))
    writer.uint32(storageKeys.length)
    for (const key of storageKeys) writer.bytes(hashToBytes(key))
  }
  if (transaction.type === 3) {
    writer.uint256(transaction.maxFeePerBlobGas)
    writer.uint32(transaction.blobVersionedHashes.length)
    for (const hash of transaction.blobVersionedHashes) writer.bytes(hashToBytes(hash))
  }
  if (transaction.type === 4) {
    writer.uint32(transaction.authorizationList.length)
    for (const authorization of transaction.authorizationList) encodeAuthorization(writer, authorization)
  }
}

function encodeAuthorization(writer: ByteWriter, authorization: Authorization): void {
  writer.uint256(authorization.chainId)
  writer.bytes(addressToBytes(authorization.address))
  writer.uint64(authorization.nonce)
  writer.uint8(authorization.yParity)
  writer.uint256(authorization.r)
  writer.uint256(authorization.s)
}
