import { array, object, union } from 'zod'
import { AddressText } from './address.ts'
import { DataText } from './data.ts'
import { HashText } from './hash.ts'
import { QuantityText } from './quantity.ts'
import { TransactionResult } from './transaction.ts'

/** A block; members that its fork lacks are absent, and so is the sum of difficulties after the merge. */
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
  withdrawals: array(
    object({
      index: QuantityText,
      validatorIndex: QuantityText,
      address: AddressText,
      amount: QuantityText,
    }),
  ).optional(),
  blobGasUsed: QuantityText.optional(),
  excessBlobGas: QuantityText.optional(),
  parentBeaconBlockRoot: HashText.optional(),
  requestsHash: HashText.optional(),
}).meta({ title: 'block' })
