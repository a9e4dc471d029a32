import { number, string, union } from 'zod'
import { packFilter, type Watched } from '#api/filters/filter.ts'
import type { Resources } from '#api/resources.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { callerKey } from '#jsonrpc/limits/caller-key.ts'
import { Param, type RunContext } from '#jsonrpc/method.ts'

/** Accepts any text: text that is not an id matches no filter. */
export const FilterId = new Param(
  union([string(), number().transform(String)]).meta({ title: 'filter id' }),
  'INVALID_FILTER_PARAMS',
)

export async function create(
  { filters }: Pick<Resources, 'filters'>,
  watched: Watched,
  context: RunContext,
): Promise<string> {
  const id = await filters.create(packFilter(watched), callerKey(context))
  if (id === undefined) throw rpcFault('EXCEEDS_RPC_MAX_ACTIVE_FILTERS')
  return id
}
