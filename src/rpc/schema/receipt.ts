import { array, object } from 'zod'
import { AddressText } from './address.ts'
import { DataText } from './data.ts'
import { HashText } from './hash.ts'
import { LogResult } from './log.ts'
import { QuantityText } from './quantity.ts'

/** `root` before Byzantium, `status` from then on; members of blobs only where there are some. */
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
