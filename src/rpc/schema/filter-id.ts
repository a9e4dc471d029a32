import { number, string, union } from 'zod'
import { Param } from '#rpc/param.ts'

/** Any text is accepted: text that is no id matches no filter. */
export const FilterId = new Param(
  union([string(), number().transform(String)]).meta({ title: 'filter id' }),
  'INVALID_FILTER_PARAMS',
)
