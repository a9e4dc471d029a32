import type { Method } from '#jsonrpc/method.ts'
import { KNOWN_METHODS } from './known-methods.ts'

/** Methods from outside the package: each module's default export is a list of them. */
export async function loadOutsideMethods(modules: readonly string[]): Promise<readonly Method[]> {
  const loaded = await Promise.all(modules.map((module) => import(module)))
  return loaded.flatMap(({ default: methods }: { default: readonly Method[] }) => methods)
}

/** Lets options name them and their APIs. Called before options are read. */
export async function declareOutsideMethods(modules: readonly string[]): Promise<void> {
  for (const { name, aliases } of await loadOutsideMethods(modules)) KNOWN_METHODS.add([name, ...aliases])
}
