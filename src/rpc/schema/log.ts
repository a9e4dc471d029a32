import { array, boolean, object } from 'zod'
import { AddressText } from './address.ts'
import { DataText } from './data.ts'
import { HashText } from './hash.ts'
import { QuantityText } from './quantity.ts'

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
