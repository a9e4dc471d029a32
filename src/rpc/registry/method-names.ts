/**
 * The wire names that options may mention: those of Besu, those of the methods in this package and those that somebody
 * brings from outside. What a node serves is decided by the methods that it loads, and by nothing here.
 */
import { apiOf } from './api-of.ts'
import { BESU_METHODS } from './besu-methods.ts'
import { METHOD_NAMES } from './method-names.generated.ts'

/** Served whatever the options say, so nobody names it. */
export const ALWAYS_ENABLED = 'RPC'

/** Served there whatever the options say, as Besu does. */
export const ALWAYS_OVER_WEBSOCKET = ['eth_subscribe', 'eth_unsubscribe'] as const

/** There is code behind these. */
const loaded = new Set<string>(METHOD_NAMES)

/** For methods from outside the package; before options are read. */
export function addMethodNames(names: Iterable<string>): void {
  for (const name of names) loaded.add(name)
}

export function methodNames(): ReadonlySet<string> {
  return BESU_METHODS.union(loaded)
}

/** That an option may enable, upper case as Besu demands; some have no method yet. */
export function apiNames(): readonly string[] {
  return apisOf(methodNames())
}

/** That have methods. */
export function loadedApiNames(): readonly string[] {
  return apisOf(loaded)
}

export function apisOf(names: Iterable<string>): readonly string[] {
  const apis = new Set([...names].map(apiOf))
  apis.delete(ALWAYS_ENABLED)
  return [...apis].sort()
}
