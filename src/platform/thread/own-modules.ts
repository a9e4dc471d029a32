import { registerHooks } from 'node:module'

/** This module's place in `src` or `dist`. In the package its code may be in a chunk, so its own URL is of no use. */
const PLACE = import.meta.resolve('#platform/thread/own-modules.ts')

/** The folder of the program's modules: `src` in a checkout, `dist` in the package. */
export const PROGRAM_ROOT = new URL('../../', PLACE).href

/** Node strips types while it loads a checkout's `.ts` files; the package contains `.js` files. */
const ENDING = PLACE.endsWith('.ts') ? '.ts' : '.js'
const FORMAT = ENDING === '.ts' ? 'module-typescript' : 'module'

/**
 * Lets this thread resolve the program's own modules by name alone. Node makes about ten file system calls to locate and
 * classify a module, nearly half of its loading time, and each thread loads hundreds. Other imports resolve as usual.
 */
export function findOwnModulesByName(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = context.parentURL?.startsWith(PROGRAM_ROOT)
        ? locate(specifier, context.parentURL)
        : undefined
      return url === undefined ? nextResolve(specifier, context) : { url, format: FORMAT, shortCircuit: true }
    },
  })
}

function locate(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('#') && specifier.endsWith('.ts'))
    return `${PROGRAM_ROOT}${specifier.slice(1, -3)}${ENDING}`
  if (/^\.\.?\//.test(specifier) && specifier.endsWith(ENDING)) return new URL(specifier, importer).href
  return undefined
}
