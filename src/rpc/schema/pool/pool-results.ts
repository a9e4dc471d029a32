/** What methods of TXPOOL answer. */
import { boolean, int, object, record, string, enum as zenum } from 'zod'
import { TYPE_NAMES } from '#rpc/present/pool/pool-transaction.ts'
import { DataText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { KeyedTransactionResult } from '#rpc/schema/transaction.ts'

export const PoolTransactionResult = KeyedTransactionResult.extend({
  r: DataText,
  s: DataText,
  transactionType: zenum(TYPE_NAMES),
}).meta({ title: 'pool transaction' })

/** By nonce, in decimal digits. */
const ByNonce = record(string(), PoolTransactionResult)
const LineByNonce = record(string(), string())

export const PoolContentResult = object({
  pending: record(string(), ByNonce),
  queued: record(string(), ByNonce),
}).meta({ title: 'pool content' })

export const SenderContentResult = object({ pending: ByNonce, queued: ByNonce }).meta({
  title: 'content of a sender',
})

export const PoolLinesResult = object({
  pending: record(string(), LineByNonce),
  queued: record(string(), LineByNonce),
}).meta({ title: 'pool lines' })

export const PoolCountsResult = object({ pending: QuantityText, queued: QuantityText }).meta({
  title: 'pool counts',
})

export const PoolStatisticsResult = object({ maxSize: int(), localCount: int(), remoteCount: int() }).meta({
  title: 'pool statistics',
})

export const KnownTransactionResult = object({
  hash: HashText,
  isReceivedFromLocalSource: boolean(),
  addedToPoolAt: string(),
}).meta({ title: 'known transaction' })
