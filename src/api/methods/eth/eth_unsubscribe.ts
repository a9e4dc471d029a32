import { literal, number, string, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { parsedBy } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { formatQuantity, parseQuantityLenient } from '#types/hex.ts'

const ID_BYTES = 8

/** Accepts any number; an unknown one matches no subscription. */
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
  summary: 'Cancels a subscription of this connection.',
  needs: ['connection', 'subscriptions'],
  cost: 'free',
  params: { id: Id },
  result: literal(true),
  run: ({ connection, subscriptions }, { id }) => {
    if (!subscriptions.close(connection, id)) throw rpcFault('SUBSCRIPTION_NOT_FOUND')
    return true as const
  },
})
