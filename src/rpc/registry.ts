import { assert } from '#types/assert.ts'
import { apiOf, type Method } from './define-method.ts'
import { KNOWN_METHODS } from './known-methods.ts'
import type { ApisPort } from './ports.ts'

export type MethodVerdict =
  | { readonly ok: true; readonly method: Method }
  | { readonly ok: false; readonly error: 'METHOD_NOT_FOUND' | 'METHOD_NOT_ENABLED' }

/** What can be called on one transport. */
export interface Registry extends ApisPort {
  find(wireName: string): MethodVerdict
}

export interface RegistryOptions {
  /** All methods of the program: `METHODS` of methods.generated.ts. */
  readonly methods: readonly Method[]
  /** As the option of the transport names them: `ETH`, `NET`, `WEB3`. */
  readonly apis: readonly string[]
}

/** Clients ask it which APIs there are, so it is there whatever the option says. */
const ALWAYS_ENABLED = 'RPC'

const NOT_FOUND: MethodVerdict = { ok: false, error: 'METHOD_NOT_FOUND' }
const NOT_ENABLED: MethodVerdict = { ok: false, error: 'METHOD_NOT_ENABLED' }

export function createRegistry({ methods, apis }: RegistryOptions): Registry {
  const enabledApis = new Set([ALWAYS_ENABLED, ...apis])
  const verdicts = new Map<string, MethodVerdict>()
  for (const name of KNOWN_METHODS) verdicts.set(name, NOT_ENABLED)
  for (const method of methods) {
    for (const name of [method.name, ...method.aliases]) {
      assert(verdicts.get(name)?.ok !== true, `The method name ${name} is declared once.`)
      verdicts.set(name, enabledApis.has(apiOf(name)) ? { ok: true, method } : NOT_ENABLED)
    }
  }
  return {
    enabled: apis,
    methods: methods.filter(({ name }) => enabledApis.has(apiOf(name))),
    find: (wireName) => verdicts.get(wireName) ?? NOT_FOUND,
  }
}
