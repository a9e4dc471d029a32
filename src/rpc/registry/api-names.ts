import { usageFault } from '#config/faults.ts'
import { type Kind, listOf, text } from '#config/kinds.ts'
import { suggestion } from '#config/nearest.ts'
import { apiNames, methodNames } from './method-names.ts'

/** Groups that Besu once had; files that name them still start, with a warning. */
export const RETIRED_API_NAMES = ['CLIQUE', 'EEA', 'GOQUORUM', 'PRIV'] as const

export const apiList: Kind<readonly string[]> = listOf(text, (names) => {
  const accepted = apiNames()
  const known: ReadonlySet<string> = new Set([...accepted, ...RETIRED_API_NAMES])
  const invalid = names.filter((name) => !known.has(name))
  if (invalid.length === 0) return names
  const hint = suggestion(invalid[0]!, accepted)
  throw usageFault(`invalid entries found [${invalid.join(', ')}]; APIs are ${accepted.join(', ')}.${hint}`)
})

export const methodList: Kind<readonly string[]> = listOf(text, (names) => {
  const known = methodNames()
  const invalid = names.find((name) => !known.has(name))
  if (invalid === undefined) return names
  throw usageFault(
    `options must be valid RPC methods, but there is no ${invalid}.${suggestion(invalid, known)}`,
  )
})

/** `*` or `all` admits everybody and `none` nobody; neither goes together with names. */
function whoMayCome(noun: string): Kind<readonly string[]> {
  return listOf(text, (entries) => {
    const words = entries.map((entry) => (entry === 'all' ? '*' : entry))
    const sweeping = words.find((word) => word === '*' || word === 'none')
    if (sweeping === undefined) return words
    if (words.length > 1) {
      throw usageFault(`Value '${sweeping === '*' ? "*' or 'all" : 'none'}' can't be used with other ${noun}`)
    }
    return sweeping === 'none' ? [] : words
  })
}

export const hostList: Kind<readonly string[]> = whoMayCome('hostnames')
export const originList: Kind<readonly string[]> = whoMayCome('origins')
