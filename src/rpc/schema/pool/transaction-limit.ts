import { number, string, union } from 'zod'
import { Param } from '#rpc/param.ts'

const MAX_LIMIT = 2 ** 31 - 1

/** How many transactions are wanted: a JSON number, whose fraction is cut off, or decimal digits. */
export const TransactionLimit = new Param<number>(
  union([
    number().nonnegative().max(MAX_LIMIT).transform(Math.trunc),
    string()
      .regex(/^[0-9]{1,10}$/)
      .transform(Number)
      .refine((limit) => limit <= MAX_LIMIT),
  ]).meta({ title: 'most transactions', description: 'a number, or decimal digits' }),
  'INVALID_TRANSACTION_LIMIT_PARAMS',
)
