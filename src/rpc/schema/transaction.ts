import { array, object, null as znull } from 'zod'
import { AddressText } from './address.ts'
import { DataText } from './data.ts'
import { HashText } from './hash.ts'
import { QuantityText } from './quantity.ts'

const AccessListResult = array(object({ address: AddressText, storageKeys: array(HashText) })).meta({
  title: 'access list',
})

/** A transaction of a block; members that its type lacks are absent. */
export const TransactionResult = object({
  accessList: AccessListResult.optional(),
  blockHash: HashText,
  blockNumber: QuantityText,
  blockTimestamp: QuantityText,
  chainId: QuantityText.optional(),
  from: AddressText,
  gas: QuantityText,
  gasPrice: QuantityText,
  maxPriorityFeePerGas: QuantityText.optional(),
  maxFeePerGas: QuantityText.optional(),
  maxFeePerBlobGas: QuantityText.optional(),
  hash: HashText,
  input: DataText,
  nonce: QuantityText,
  to: AddressText.nullable(),
  transactionIndex: QuantityText,
  type: QuantityText,
  value: QuantityText,
  yParity: QuantityText.optional(),
  v: QuantityText,
  r: QuantityText,
  s: QuantityText,
  blobVersionedHashes: array(HashText).optional(),
  authorizationList: array(
    object({
      chainId: QuantityText,
      address: AddressText,
      nonce: QuantityText,
      yParity: QuantityText,
      r: QuantityText,
      s: QuantityText,
    }),
  ).optional(),
}).meta({ title: 'transaction' })

/** One that is in no block. */
export const PendingTransactionResult = TransactionResult.extend({
  blockHash: znull(),
  blockNumber: znull(),
  blockTimestamp: znull(),
  transactionIndex: znull(),
}).meta({ title: 'pending transaction' })

/** The same with the key of its sender and its bytes. */
export const KeyedTransactionResult = PendingTransactionResult.extend({
  publicKey: DataText,
  raw: DataText,
}).meta({ title: 'pending transaction with key' })
