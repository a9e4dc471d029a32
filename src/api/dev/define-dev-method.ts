import type { ZodType } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import type { EngineThreadResource, Resources } from '#api/resources.ts'
import type { Method, MethodDefinition, ParamTable } from '#jsonrpc/method.ts'
import { ALWAYS_ENABLED } from '#jsonrpc/registry/method-names.ts'

/** Declares a method that only the development network has, whatever APIs its options enable. */
export function defineDevMethod<
  const Needs extends keyof Resources,
  const Params extends ParamTable,
  Result extends ZodType,
  Resolved = undefined,
>(definition: MethodDefinition<Resources, EngineThreadResource, Needs, Params, Result, Resolved>): Method {
  return { ...defineMethod(definition), alsoIn: [ALWAYS_ENABLED] }
}
