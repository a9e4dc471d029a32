/** Parameters of methods that list a part of the state. */
import { number, string, union } from 'zod'
import { Param } from '#rpc/param.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { parseQuantityLenient } from '#types/hex.ts'
import { parsedBy } from './parsed-text.ts'

/** Of one answer, whatever is asked for; the rest is for the next question. */
const MAX_RANGE = 10_000

/** Where to begin: a hash, or any shorter number, which stands at its end. */
export const StartHash = new Param(
  string()
    .meta({ title: 'start', description: 'the first hash that counts; short ones are padded with zeros' })
    .transform(
      parsedBy((text) => bigintToBytes(parseQuantityLenient(text.startsWith('0x') ? text : `0x${text}`), 32)),
    ),
  'INVALID_DATA_HASH_PARAMS',
)

export const RangeLimit = new Param(
  union([
    number(),
    string()
      .regex(/^[0-9]+$/)
      .transform(Number),
  ])
    .transform((value) => Math.min(value, MAX_RANGE))
    .pipe(number().int().nonnegative())
    .meta({ title: 'limit', description: `at most ${MAX_RANGE} count` }),
  'INVALID_TRANSACTION_LIMIT_PARAMS',
)
