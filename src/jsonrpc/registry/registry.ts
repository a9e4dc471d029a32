import { type RpcError, rpcError } from '#jsonrpc/errors.ts'
import type { Method } from '#jsonrpc/method.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import { assert } from '#types/assert.ts'
import { ALWAYS_ENABLED, apiOf, apisOf } from './method-names.ts'

export type MethodVerdict =
  | { readonly ok: true; readonly method: Method }
  | { readonly ok: false; readonly error: RpcError }

/** What methods may know of the transport of their call. */
export interface EnabledApis {
  /** In upper case, as the option names them. */
  readonly enabled: readonly string[]
  readonly methods: readonly Method[]
}

export interface Registry extends EnabledApis {
  find(wireName: string): MethodVerdict
}

export interface RegistryOptions {
  /** All loaded methods, enabled or not. */
  readonly methods: readonly Method[]
  /** As the option of the transport names them: `ETH`, `NET`, `WEB3`. */
  readonly apis: readonly string[]
  /** Methods that are enabled regardless of their API. */
  readonly always?: readonly string[]
  /** If false, clients leave with their answers, so methods that notify them are never enabled. */
  readonly staysConnected?: boolean
  /** If true, methods that change the operation of the node are never enabled. */
  readonly isReadOnly?: boolean
  readonly absent?: ServedApi['absentMethods']
}

const NOT_FOUND: MethodVerdict = { ok: false, error: rpcError('METHOD_NOT_FOUND') }
const NOT_ENABLED: MethodVerdict = { ok: false, error: rpcError('METHOD_NOT_ENABLED') }

/** As Besu refuses subscriptions over HTTP. */
export const NEEDS_CONNECTION = rpcError('METHOD_NOT_ENABLED', {
  reason: 'it notifies its caller; use a WebSocket connection',
})

const CHANGES_NODE = rpcError('METHOD_NOT_ENABLED', {
  reason: 'it changes the node, and callers on this port are not authenticated',
})

export function apisOfMethods(methods: readonly Method[]): readonly string[] {
  return apisOf(methods.flatMap(({ name, aliases }) => [name, ...aliases]))
}

export function createRegistry({
  methods,
  apis,
  always = [],
  staysConnected = true,
  isReadOnly = false,
  absent = new Map(),
}: RegistryOptions): Registry {
  const enabledApis = new Set([ALWAYS_ENABLED, ...apis])
  const isEnabled = (name: string): boolean => enabledApis.has(apiOf(name)) || always.includes(name)
  const isBrought = ({ alsoIn }: Method): boolean => alsoIn.some((api) => enabledApis.has(api))
  const refusalOf = ({ needs, changes }: Method): RpcError | undefined => {
    if (isReadOnly && changes !== undefined) return CHANGES_NODE
    return staysConnected || !needs.includes('connection') ? undefined : NEEDS_CONNECTION
  }
  const verdictOf = (method: Method, name: string): MethodVerdict => {
    if (!isEnabled(name) && !isBrought(method)) return NOT_ENABLED
    const error = refusalOf(method)
    return error === undefined ? { ok: true, method } : { ok: false, error }
  }
  const verdicts = new Map<string, MethodVerdict>()
  for (const [name, error] of absent) verdicts.set(name, { ok: false, error })
  for (const method of methods) {
    for (const name of [method.name, ...method.aliases]) {
      assert(verdicts.get(name)?.ok !== true, `The method name ${name} is declared once.`)
      verdicts.set(name, verdictOf(method, name))
    }
  }
  return {
    enabled: apis,
    methods: methods.filter(
      (method) => (isEnabled(method.name) || isBrought(method)) && refusalOf(method) === undefined,
    ),
    find: (wireName) => verdicts.get(wireName) ?? NOT_FOUND,
  }
}
