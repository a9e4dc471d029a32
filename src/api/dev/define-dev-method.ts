import { literal, type ZodLiteral, type ZodType } from 'zod'
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

type DevDefinition<Needs extends keyof Resources, Params extends ParamTable> = MethodDefinition<
  Resources,
  EngineThreadResource,
  Needs,
  Params,
  ZodLiteral<true>,
  undefined
>

/** Declares a method that changes the development network and returns true, as anvil's methods do. */
export function defineDevChange<const Needs extends keyof Resources, const Params extends ParamTable>(
  definition: Omit<DevDefinition<Needs, Params>, 'result' | 'run'> & {
    change(...args: Parameters<DevDefinition<Needs, Params>['run']>): Promise<void>
  },
): Method {
  const { change, ...rest } = definition
  return defineDevMethod<Needs, Params, ZodLiteral<true>>({
    ...rest,
    result: literal(true),
    run: async (...args) => {
      await change(...args)
      return true as const
    },
  })
}
