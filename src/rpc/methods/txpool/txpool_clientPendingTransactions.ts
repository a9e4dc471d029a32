import { array, number, string, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { type DecodedItem, poolItems, presentPoolTransaction } from '#rpc/present/pool/pool-transaction.ts'
import { compileFilter, PendingFilter } from '#rpc/schema/pool/pending-filter.ts'
import { PoolTransactionResult } from '#rpc/schema/pool/pool-results.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** How many transactions are wanted: a JSON number, whose fraction is cut off, or decimal digits. */
const TransactionLimit = new Param<number>(
  union([
    number().nonnegative().max(MAX_LIMIT).transform(Math.trunc),
    string()
      .regex(/^[0-9]{1,10}$/)
      .transform(Number)
      .refine((limit) => limit <= MAX_LIMIT),
  ]).meta({ title: 'most transactions', description: 'a number, or decimal digits' }),
  'INVALID_TRANSACTION_LIMIT_PARAMS',
)

export default defineMethod({
  name: 'txpool_clientPendingTransactions',
  aliases: ['txpool_besuPendingTransactions'],
  summary:
    'The transactions of the pool that meet all conditions, at most so many, in the order of their coming.',
  needs: ['pool'],
  cost: 'medium',
  params: { limit: TransactionLimit.default(Number.POSITIVE_INFINITY), fields: PendingFilter.default({}) },
  result: array(PoolTransactionResult),
  run: ({ pool }, { limit, fields }) => {
    const meets = compileFilter(fields)
    return jsonList(texts(poolItems(pool), meets, limit))
  },
})

async function* texts(
  items: AsyncIterable<DecodedItem>,
  meets: (decoded: DecodedItem) => boolean,
  limit: number,
): AsyncGenerator<string, void, undefined> {
  let count = 0
  if (count >= limit) return
  for await (const decoded of items) {
    if (!meets(decoded)) continue
    yield JSON.stringify(await presentPoolTransaction(decoded))
    if (++count >= limit) return
  }
}
