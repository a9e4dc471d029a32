import { enum as oneOf, unknown } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { SUBSCRIPTION_KINDS } from '#api/subscriptions/subscription-sources.ts'
import { Param } from '#jsonrpc/method.ts'

const Kind = new Param(oneOf(SUBSCRIPTION_KINDS), 'INVALID_REQUEST')
const Options = new Param(
  unknown().meta({
    title: 'subscription options',
    description:
      'newHeads and newPendingTransactions: {includeTransactions}; logs: a filter, required; ' +
      'transactionReceipts: {transactionHashes}, at most 200; the other kinds take none',
  }),
  'INVALID_REQUEST',
).optional()

export default defineMethod({
  name: 'eth_subscribe',
  summary: 'Subscribes to blocks, logs, receipts or transactions, delivered as eth_subscription.',
  needs: ['connection', 'subscriptions'],
  cost: 'medium',
  params: { kind: Kind, options: Options },
  result: QuantityText,
  run: ({ connection, subscriptions }, { kind, options }) => subscriptions.open(connection, kind, options),
})
