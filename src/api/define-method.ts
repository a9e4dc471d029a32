/** The room `api` owns the methods of this node, with their parameters, results and resources. */

import type { ZodType } from 'zod'
import { createMethod, type Method, type MethodDefinition, type ParamTable } from '#jsonrpc/method.ts'
import { ENGINE_THREAD_RESOURCES, type EngineThreadResource, type Resources } from './resources.ts'

/** Declares one JSON-RPC method, the default export of its file. */
export function defineMethod<
  const Needs extends keyof Resources,
  const Params extends ParamTable,
  Result extends ZodType,
  Resolved = undefined,
>(definition: MethodDefinition<Resources, EngineThreadResource, Needs, Params, Result, Resolved>): Method {
  return createMethod(definition, ENGINE_THREAD_RESOURCES)
}
