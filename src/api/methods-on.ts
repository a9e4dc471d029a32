import type { Method } from '#jsonrpc/method.ts'
import { DEV_METHODS } from './dev-methods.generated.ts'
import { METHODS } from './methods.generated.ts'

/** On the development network, its methods replace those with the same name. Other networks do not know their names. */
export function methodsOn({ isDevelopment }: { readonly isDevelopment: boolean }): readonly Method[] {
  if (!isDevelopment) return METHODS
  const replaced = new Set(DEV_METHODS.map(({ name }) => name))
  return [...METHODS.filter(({ name }) => !replaced.has(name)), ...DEV_METHODS]
}
