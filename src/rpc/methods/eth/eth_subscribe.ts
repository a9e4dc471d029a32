import { enum as oneOf, unknown } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { decodeSubscription, SUBSCRIPTION_KINDS } from '#rpc/subscriptions/subscription-request.ts'

const Kind = new Param(oneOf(SUBSCRIPTION_KINDS), 'INVALID_REQUEST')
const Options = new Param(
  unknown().meta({
    title: 'subscription options',
    description:
      'newHeads and newPendingTransactions: {includeTransactions}; logs: a filter, required; ' +
      'transactionReceipts: {transactionHashes}, at most 200; the other kinds have none',
  }),
  'INVALID_REQUEST',
).optional()

export default defineMethod({
  name: 'eth_subscribe',
  summary: 'Tells the caller, from now on, of blocks, logs, receipts or transactions, as eth_subscription.',
  needs: ['connection', 'subscriptions'],
  cost: 'medium',
  params: { kind: Kind, options: Options },
  result: QuantityText,
  run: ({ connection, subscriptions }, { kind, options }) =>
    subscriptions.open(connection, decodeSubscription(kind, options)),
})
