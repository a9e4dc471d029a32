import { literal, number, string, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { parsedBy } from '#rpc/schema/parsed-text.ts'
import { formatQuantity, parseQuantityLenient } from '#types/hex.ts'

const ID_BYTES = 8

/** Any number may be asked for: one that nobody was given is that of no subscription. */
const Id = new Param(
  union([
    string().transform(
      parsedBy((text) => formatQuantity(parseQuantityLenient(text.toLowerCase(), ID_BYTES))),
    ),
    number()
      .int()
      .nonnegative()
      .max(Number.MAX_SAFE_INTEGER)
      .transform((value) => formatQuantity(value)),
  ]).meta({ title: 'subscription id' }),
  'INVALID_REQUEST',
)

export default defineMethod({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription of this connection.',
  needs: ['connection', 'subscriptions'],
  cost: 'free',
  params: { id: Id },
  result: literal(true),
  run: ({ connection, subscriptions }, { id }) => {
    if (!subscriptions.close(connection, id)) throw rpcFault('SUBSCRIPTION_NOT_FOUND')
    return true as const
  },
})
