import { registerHooks } from 'node:module'

/** With a slash at its end. */
const ROOT = new URL('../../', import.meta.url).href
/** Where Node strips types while it loads, names end as they are written; else they are those of the package. */
const ENDING = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const FORMAT = ENDING === '.ts' ? 'module-typescript' : 'module'

/**
 * Has this thread find the modules of this program by their names alone. Node asks the file system some ten times where a module
 * is and what it is, which is nearly half of what loading one costs, and each thread loads hundreds. Imports of others
 * are looked for as ever.
 */
export function findOwnModulesByName(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = context.parentURL?.startsWith(ROOT) ? locate(specifier, context.parentURL) : undefined
      return url === undefined ? nextResolve(specifier, context) : { url, format: FORMAT, shortCircuit: true }
    },
  })
}

function locate(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('#') && specifier.endsWith('.ts'))
    return `${ROOT}${specifier.slice(1, -3)}${ENDING}`
  if (specifier.startsWith('./') && specifier.endsWith(ENDING)) {
    return `${importer.slice(0, importer.lastIndexOf('/'))}${specifier.slice(1)}`
  }
  return undefined
}
