import { parse as parseToml, TomlError } from 'smol-toml'
import type { Given, OptionIndex, Origin } from './command-line.ts'
import { usageFault } from './faults.ts'
import { formerOption, RENAMED, retiredOption } from './former-options.ts'
import { nearestNames, suggestion } from './nearest.ts'
import { environmentSuffix, type Option, tomlKey } from './option.ts'

/** The first one wins. The later ones let a Besu operator keep the environment unchanged. */
export const ENVIRONMENT_PREFIXES = ['CAIRN_', 'BESU_', 'PANTHEON_'] as const

/** A larger configuration file was not written by a person. */
const MAX_TOML_CHARACTERS = 1_000_000

export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  index: OptionIndex,
): Given[] {
  return index.all.flatMap((option) => {
    const found = ENVIRONMENT_PREFIXES.flatMap((prefix) =>
      [option.flag, ...option.aliases].flatMap((flag) => {
        const suffix = environmentSuffix(flag)
        const text = suffix === undefined ? undefined : environment[prefix + suffix]
        return text === undefined ? [] : [{ name: prefix + suffix, text }]
      }),
    )
    const [first, ...others] = found
    if (!first) return []
    const conflict = others.find((other) => other.text !== first.text)
    if (conflict) {
      throw usageFault(
        `The environment variables ${first.name} and ${conflict.name} give ${option.flag} different values; unset one of them.`,
      )
    }
    return [{ option, text: first.text, origin: { source: 'environment', name: first.name } }]
  })
}

/** Our variables that are not options: the path of test vectors, and the engine to use. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(['CAIRN_CONFORMANCE', 'CAIRN_ENGINE'])

/** Warns about names that look like ours but are not options, because nothing else would report them. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  index: OptionIndex,
): string[] {
  const [prefix] = ENVIRONMENT_PREFIXES
  const known = new Set(
    [...index.names()].flatMap((name) => environmentSuffix(name) ?? []).map((suffix) => prefix + suffix),
  )
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.has(name) && !OTHER_VARIABLES.has(name))
    .filter((name) => formerKey(name.slice(prefix.length)) === undefined)
    .map(
      (name) =>
        `The environment variable ${name} does not match an option and is ignored.${suggestion(name, known)}`,
    )
}

/**
 * Variables that Besu read under names of earlier versions. They are worth a warning; one that asked for protection stops
 * the start, as its option would.
 */
export function formerVariables(
  environment: Readonly<Record<string, string | undefined>>,
  index: OptionIndex,
): string[] {
  return Object.entries(environment).flatMap(([name, text]) => {
    const prefix = ENVIRONMENT_PREFIXES.find((each) => name.startsWith(each))
    if (prefix === undefined || text === undefined) return []
    const key = formerKey(name.slice(prefix.length))
    if (key === undefined || index.find(`--${key}`) !== undefined) return []
    const sentence = `The environment variable ${name} is ignored. ${formerOption(key)}`
    const isOn = text.trim().toLowerCase() !== 'false'
    if (isOn && retiredOption(key)?.stops) throw usageFault(sentence.replace('is ignored', 'is refused'))
    return [sentence]
  })
}

/** Of `HOST_WHITELIST` the option `host-whitelist`. */
function formerKey(suffix: string): string | undefined {
  const lower = suffix.toLowerCase().replaceAll('_', '-')
  const renamed = Object.keys(RENAMED).find((key) => key.toLowerCase() === lower)
  // Options with an X begin with a capital.
  return renamed ?? [lower, lower.replace(/^x/, 'X')].find((key) => retiredOption(key) !== undefined)
}

/** For a child process that takes its options from elsewhere. */
export function withoutOptions(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOption = (name: string) =>
    ENVIRONMENT_PREFIXES.some((prefix) => name.startsWith(prefix)) && !OTHER_VARIABLES.has(name)
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOption(name)))
}

/** Reads a TOML file as options. Tables only group; every key is an option name without dashes. */
export function fromToml(
  toml: string,
  index: OptionIndex,
  origin: Origin,
  passesOver: (name: string) => boolean = () => false,
): { given: Given[]; warnings: string[] } {
  const byKey = new Map(
    [...index.names()]
      .filter((name) => name.startsWith('--'))
      .map((name) => [tomlKey(name), index.find(name)!]),
  )
  const entries = tomlEntries(toml, origin).filter(([key]) => byKey.has(key) || !passesOver(`--${key}`))
  const unknown = entries.filter(([key]) => !byKey.has(key)).map(([key]) => key)
  if (unknown.length > 0) throw unknownKeys(unknown, byKey.keys(), origin)
  const given = new Map<Option, Given>()
  const warnings: string[] = []
  for (const [key, value] of entries) {
    const option = byKey.get(key)!
    const earlier = given.get(option)
    if (earlier) {
      warnings.push(`${origin.name} gives ${option.flag} under two names; '${tomlKey(option.flag)}' is used.`)
      if (tomlKey(option.flag) !== key) continue
    }
    given.set(option, { option, text: tomlValueText(key, value, origin), origin })
  }
  return { given: [...given.values()], warnings }
}

/** All keys with their values; tables only group. */
export function tomlEntries(toml: string, origin: Origin): [key: string, value: unknown][] {
  return flatten(readToml(toml, origin))
}

function readToml(toml: string, origin: Origin): Record<string, unknown> {
  if (toml.trim() === '')
    throw usageFault(`Unable to read from empty TOML configuration file ${origin.name}.`)
  if (toml.length > MAX_TOML_CHARACTERS) {
    throw usageFault(
      `The TOML file ${origin.name} is larger than ${MAX_TOML_CHARACTERS} characters; options alone are shorter.`,
    )
  }
  try {
    return parseToml(toml, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '')
    throw usageFault(
      `Invalid TOML configuration: ${origin.name}, line ${error.line}, column ${error.column}: ${reason}.`,
      { cause: error },
    )
  }
}

function flatten(table: Record<string, unknown>): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]) => (isTable(value) ? flatten(value) : [[key, value]]))
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Converts a TOML value to an option's text. */
export function tomlValueText(key: string, value: unknown, origin: Origin): string {
  if (Array.isArray(value)) return value.map((item) => tomlValueText(key, item, origin)).join(',')
  if (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'bigint'
  ) {
    return String(value)
  }
  throw usageFault(
    `The value of '${key}' in ${origin.name} is neither text, number, boolean nor a list of those.`,
  )
}

/** A file with more unknown keys than this is not one of ours; naming all would not help. */
const MAX_NAMED_KEYS = 10

function unknownKeys(keys: string[], known: Iterable<string>, origin: Origin): Error {
  const names = [...known]
  const named = keys.slice(0, MAX_NAMED_KEYS)
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : ''
  const former = named.flatMap((key) => {
    const sentence = formerOption(key)
    return sentence === undefined ? [] : [keys.length === 1 ? ` ${sentence}` : ` ${key}: ${sentence}`]
  })
  const meant = named
    .filter((key) => formerOption(key) === undefined)
    .flatMap((key) => nearestNames(key, names, 1))
  const hint = former.join('') + (meant.length === 0 ? '' : ` Did you mean ${meant.join(' and ')}?`)
  const plural = keys.length === 1 ? '' : 's'
  return usageFault(
    `Unknown option${plural} in TOML configuration file ${origin.name}: ${named.join(', ')}${more}.${hint}`,
  )
}
