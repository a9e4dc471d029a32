import type { Method } from '#rpc/define-method.ts'
import { type RpcError, rpcError } from '#rpc/errors.ts'
import type { EnabledApis } from '#rpc/resources.ts'
import { assert } from '#types/assert.ts'
import { apiOf } from './api-of.ts'
import { BESU_METHODS, IDLE_BESU_METHODS } from './besu-methods.ts'
import { ALWAYS_ENABLED, apisOf } from './method-names.ts'

export type MethodVerdict =
  | { readonly ok: true; readonly method: Method }
  | { readonly ok: false; readonly error: RpcError }

/** What can be called on one transport. */
export interface Registry extends EnabledApis {
  find(wireName: string): MethodVerdict
}

export interface RegistryOptions {
  /** All that were loaded, enabled or not. */
  readonly methods: readonly Method[]
  /** As the option of the transport names them: `ETH`, `NET`, `WEB3`. */
  readonly apis: readonly string[]
  /** Methods that are enabled whatever their API. */
  readonly always?: readonly string[]
  /** False: clients leave with their answers, so that methods which notify them are enabled for nobody. */
  readonly staysConnected?: boolean
}

const NOT_FOUND: MethodVerdict = { ok: false, error: rpcError('METHOD_NOT_FOUND') }
const NOT_ENABLED: MethodVerdict = { ok: false, error: rpcError('METHOD_NOT_ENABLED') }
/** No option enables it, and nobody shall look for one. */
const NOT_YET: MethodVerdict = {
  ok: false,
  error: rpcError('METHOD_NOT_ENABLED', { reason: 'not part of this version yet' }),
}

/** As Besu refuses subscriptions over HTTP. */
export const NEEDS_CONNECTION = rpcError('METHOD_NOT_ENABLED', {
  reason: 'it notifies its caller; use a WebSocket connection',
})

/** All that these methods belong to. */
export function apisOfMethods(methods: readonly Method[]): readonly string[] {
  return apisOf(methods.flatMap(({ name, aliases }) => [name, ...aliases]))
}

export function createRegistry({
  methods,
  apis,
  always = [],
  staysConnected = true,
}: RegistryOptions): Registry {
  const enabledApis = new Set([ALWAYS_ENABLED, ...apis])
  const isEnabled = (name: string): boolean => enabledApis.has(apiOf(name)) || always.includes(name)
  const isBrought = ({ alsoIn }: Method): boolean => alsoIn.some((api) => enabledApis.has(api))
  const isServed = ({ needs }: Method): boolean => staysConnected || !needs.includes('connection')
  const verdictOf = (method: Method, name: string): MethodVerdict => {
    if (!isEnabled(name) && !isBrought(method)) return NOT_ENABLED
    return isServed(method) ? { ok: true, method } : { ok: false, error: NEEDS_CONNECTION }
  }
  const verdicts = new Map<string, MethodVerdict>()
  for (const name of BESU_METHODS) verdicts.set(name, NOT_YET)
  for (const name of IDLE_BESU_METHODS) verdicts.set(name, NOT_ENABLED)
  for (const method of methods) {
    for (const name of [method.name, ...method.aliases]) {
      assert(verdicts.get(name)?.ok !== true, `The method name ${name} is declared once.`)
      verdicts.set(name, verdictOf(method, name))
    }
  }
  return {
    enabled: apis,
    methods: methods.filter((method) => (isEnabled(method.name) || isBrought(method)) && isServed(method)),
    find: (wireName) => verdicts.get(wireName) ?? NOT_FOUND,
  }
}
