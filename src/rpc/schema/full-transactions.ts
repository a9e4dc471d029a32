import { boolean, literal, number, union } from 'zod'
import { Param } from '#rpc/param.ts'

/** Whether a block comes with whole transactions or with their hashes. Strings and numbers are accepted too, as Besu reads them. */
export const FullTransactions = new Param<boolean>(
  union([
    boolean(),
    literal(['true', 'false']).transform((text) => text === 'true'),
    number()
      .int()
      .transform((value) => value !== 0),
  ]).meta({ title: 'full transactions' }),
  'INVALID_RETURN_COMPLETE_TRANSACTION_PARAMS',
)
