import { enum as oneOf } from 'zod'
import { TYPE_NAMES } from '#api/present/pool/pool-transaction.ts'
import { KeyedTransactionResult } from '#api/schema/results.ts'
import { DataText } from '#api/schema/values.ts'

export const PoolTransactionResult = KeyedTransactionResult.extend({
  r: DataText,
  s: DataText,
  transactionType: oneOf(TYPE_NAMES),
}).meta({ title: 'pool transaction' })
