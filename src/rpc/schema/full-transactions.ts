import { boolean, literal, number, union } from 'zod'
import { Param } from '#rpc/param.ts'

/** Whether a block comes with whole transactions or with their hashes. Texts and numbers are taken for their meaning. */
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
