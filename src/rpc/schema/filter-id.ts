import { number, string, union } from 'zod'
import { Param } from '#rpc/param.ts'

/** Any text may be asked for: what is no id is that of no filter. */
export const FilterId = new Param(
  union([string(), number().transform(String)]).meta({ title: 'filter id' }),
  'INVALID_FILTER_PARAMS',
)
