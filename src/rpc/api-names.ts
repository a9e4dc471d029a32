import { usageFault } from '#config/faults.ts'
import { type Kind, listOf, text } from '#config/kinds.ts'
import { suggestion } from '#config/nearest.ts'
import { KNOWN_METHODS, OWN_METHODS } from './known-methods.ts'

/** The groups of methods that the options may enable, upper case as the reference demands. */
export const API_NAMES = [
  'ADMIN',
  'BFT',
  'DEBUG',
  'ENGINE',
  'ETH',
  'IBFT',
  'MINER',
  'NET',
  'PERM',
  'PLUGINS',
  'QBFT',
  'TESTING',
  'TRACE',
  'TXPOOL',
  'WEB3',
] as const

/** Groups that the reference once had; files that name them still start, with a warning. */
export const RETIRED_API_NAMES = ['CLIQUE', 'EEA', 'GOQUORUM', 'PRIV'] as const

const ACCEPTED: ReadonlySet<string> = new Set([...API_NAMES, ...RETIRED_API_NAMES])

export const apiList: Kind<readonly string[]> = listOf(text, (names) => {
  const invalid = names.filter((name) => !ACCEPTED.has(name))
  if (invalid.length === 0) return names
  const hint = suggestion(invalid[0]!, API_NAMES)
  throw usageFault(`invalid entries found [${invalid.join(', ')}]; APIs are ${API_NAMES.join(', ')}.${hint}`)
})

const METHOD_NAMES: ReadonlySet<string> = new Set([...KNOWN_METHODS, ...OWN_METHODS])

export const methodList: Kind<readonly string[]> = listOf(text, (names) => {
  const invalid = names.find((name) => !METHOD_NAMES.has(name))
  if (invalid === undefined) return names
  throw usageFault(
    `options must be valid RPC methods, but there is no ${invalid}.${suggestion(invalid, METHOD_NAMES)}`,
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
