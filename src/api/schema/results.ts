import { array, boolean, object, union, null as znull } from 'zod'
import { AddressText, DataText, HashText, QuantityText } from './values.ts'

const AccessListResult = array(object({ address: AddressText, storageKeys: array(HashText) })).meta({
  title: 'access list',
})

/** Members that the type lacks are absent. */
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

/** A transaction in no block. */
export const PendingTransactionResult = TransactionResult.extend({
  blockHash: znull(),
  blockNumber: znull(),
  blockTimestamp: znull(),
  transactionIndex: znull(),
}).meta({ title: 'pending transaction' })

/** The same with the sender's public key and the raw bytes. */
export const KeyedTransactionResult = PendingTransactionResult.extend({
  publicKey: DataText,
  raw: DataText,
}).meta({ title: 'pending transaction with key' })

export const LogResult = object({
  logIndex: QuantityText,
  removed: boolean(),
  blockNumber: QuantityText,
  blockHash: HashText,
  blockTimestamp: QuantityText,
  transactionHash: HashText,
  transactionIndex: QuantityText,
  address: AddressText,
  data: DataText,
  topics: array(HashText),
}).meta({ title: 'log' })

/** `root` before Byzantium, `status` since; blob members only if there are blobs. */
export const ReceiptResult = object({
  blockHash: HashText,
  blockNumber: QuantityText,
  contractAddress: AddressText.nullable(),
  cumulativeGasUsed: QuantityText,
  from: AddressText,
  gasUsed: QuantityText,
  effectiveGasPrice: QuantityText,
  logs: array(LogResult),
  logsBloom: DataText,
  root: HashText.optional(),
  status: QuantityText.optional(),
  to: AddressText.nullable(),
  transactionHash: HashText,
  transactionIndex: QuantityText,
  revertReason: DataText.optional(),
  type: QuantityText,
  blobGasUsed: QuantityText.optional(),
  blobGasPrice: QuantityText.optional(),
}).meta({ title: 'receipt' })

export const WithdrawalResult = object({
  index: QuantityText,
  validatorIndex: QuantityText,
  address: AddressText,
  amount: QuantityText,
})

/** Members that the fork lacks are absent, and so is the total difficulty after the merge. */
export const BlockResult = object({
  number: QuantityText,
  hash: HashText,
  mixHash: HashText,
  parentHash: HashText,
  nonce: DataText,
  sha3Uncles: HashText,
  logsBloom: DataText,
  transactionsRoot: HashText,
  stateRoot: HashText,
  receiptsRoot: HashText,
  miner: AddressText,
  difficulty: QuantityText,
  totalDifficulty: QuantityText.optional(),
  extraData: DataText,
  baseFeePerGas: QuantityText.optional(),
  size: QuantityText,
  gasLimit: QuantityText,
  gasUsed: QuantityText,
  timestamp: QuantityText,
  uncles: array(HashText),
  transactions: union([array(HashText), array(TransactionResult)]),
  withdrawalsRoot: HashText.optional(),
  withdrawals: array(WithdrawalResult).optional(),
  blobGasUsed: QuantityText.optional(),
  excessBlobGas: QuantityText.optional(),
  parentBeaconBlockRoot: HashText.optional(),
  requestsHash: HashText.optional(),
}).meta({ title: 'block' })
