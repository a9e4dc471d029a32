import { boolean, number, string, union } from 'zod'
import { Param } from '#rpc/param.ts'

/** Whether a vote is for a validator or against it. Besu takes words and numbers as well. */
export const VoteType = new Param(
  union([
    boolean(),
    string()
      .regex(/^(true|false)$/i)
      .transform((text) => text.toLowerCase() === 'true'),
    number()
      .int()
      .transform((value) => value !== 0),
  ]).meta({ title: 'vote type', description: 'true to add the validator, false to remove it' }),
  'INVALID_VOTE_TYPE_PARAMS',
)
