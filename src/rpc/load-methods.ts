import type { Method } from './define-method.ts'
import { METHODS } from './methods.generated.ts'

/** All methods of the program; `module`, for tests, names a file whose default export is a list of further ones. */
export async function loadMethods(module: string | undefined): Promise<readonly Method[]> {
  if (module === undefined) return METHODS
  const { default: further } = (await import(module)) as { default: readonly Method[] }
  return [...METHODS, ...further]
}
