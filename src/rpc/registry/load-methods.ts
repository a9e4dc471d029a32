import type { Method } from '#rpc/define-method.ts'
import { METHODS } from '#rpc/methods.generated.ts'
import { loadOutsideMethods } from './outside-methods.ts'

/** All methods that a thread can run: those of the package and those of these modules. */
export async function loadMethods(modules: readonly string[]): Promise<readonly Method[]> {
  return [...METHODS, ...(await loadOutsideMethods(modules))]
}
