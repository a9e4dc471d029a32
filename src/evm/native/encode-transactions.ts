/** Transactions as the native engine takes them. docs/wire/engine-native.md is the specification. */

import { ByteWriter } from '#evm/byte-writer.ts'
import type { EngineTransaction } from '#evm/engine.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Authorization } from '#types/transaction/authorization.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { maxFeePerGas, maxPriorityFeePerGas } from '#types/transaction/transaction-fees.ts'
import { clampToUint64 } from './encode-settings.ts'

/** In the place of a parity: the last 20 of the 64 bytes of the signature are who is meant to have signed. */
const NAMED_AUTHORITY = 0xff
const NO_SIGNATURE = new Uint8Array(64 - 20)

/** One for all: most sessions are of one short call. */
const writer = new ByteWriter()

export function encodeTransactions(transactions: readonly EngineTransaction[]): Uint8Array {
  // Of an encoding that failed.
  writer.clear()
  writer.uint32(transactions.length)
  for (const { transaction, sender, authorities } of transactions) {
    writer.uint8(transaction.type)
    writer.bytes(addressToBytes(sender))
    encodeCall(transaction)
    encodeLists(transaction, authorities)
  }
  return writer.finish()
}

function encodeCall(transaction: UnsignedTransaction): void {
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

function encodeLists(transaction: UnsignedTransaction, authorities: EngineTransaction['authorities']): void {
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
    for (const [index, authorization] of transaction.authorizationList.entries()) {
      encodeAuthorization(authorization, authorities?.[index])
    }
  }
}

function encodeAuthorization(authorization: Authorization, authority: Address | undefined): void {
  writer.uint256(authorization.chainId)
  writer.bytes(addressToBytes(authorization.address))
  writer.uint64(authorization.nonce)
  if (authority !== undefined) {
    writer.uint8(NAMED_AUTHORITY)
    writer.bytes(NO_SIGNATURE)
    writer.bytes(addressToBytes(authority))
    return
  }
  // A parity that means something else here is one of nobody, as all above 1.
  writer.uint8(Math.min(authorization.yParity, NAMED_AUTHORITY - 1))
  writer.uint256(authorization.r)
  writer.uint256(authorization.s)
}
