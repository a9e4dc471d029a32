import type { Fault } from '#types/fault.ts'
import { type Given, OptionIndex, type Origin } from './command-line.ts'
import { usageFault } from './faults.ts'
import { suggestion } from './nearest.ts'
import type { Option, OptionTable, ValuesOf } from './option.ts'
import { sourceOptions } from './options.ts'
import { builtInProfile, PROFILE_NAMES } from './profiles.ts'
import { formerVariables, fromEnvironment, fromToml, unknownVariables } from './sources.ts'

const BY_DEFAULT: Origin = { source: 'default', name: 'default' }

interface Setting {
  readonly value: unknown
  readonly origin: Origin
}

/** The options in force, each with its origin. Reading an option that was not loaded is a bug. */
export class Settings {
  readonly #byOption: ReadonlyMap<Option, Setting>
  /** Sentences for the operator: options without effect, values given twice. */
  readonly warnings: readonly string[]

  constructor(byOption: ReadonlyMap<Option, Setting>, warnings: readonly string[]) {
    this.#byOption = byOption
    this.warnings = warnings
  }

  /** A sentence for every given option that is refused. No node starts with one of them. */
  refusals(): string[] {
    return this.given().flatMap(({ option, value, origin }) => {
      const sentence = refusalOf(option, value)
      return sentence === undefined ? [] : [`${sentence} It was given ${describeOrigin(origin)}.`]
    })
  }

  get<T>(option: Option<T>): T {
    return this.#setting(option).value as T
  }

  /** The values of a group of options, by name. */
  all<Table extends OptionTable>(table: Table): ValuesOf<Table> {
    const values = Object.entries(table).map(([name, option]) => [name, this.get(option)])
    return Object.fromEntries(values)
  }

  origin(option: Option): Origin {
    return this.#setting(option).origin
  }

  isGiven(option: Option): boolean {
    return this.#setting(option).origin.source !== 'default'
  }

  /** Every option with a value from another source than its default. */
  given(): { option: Option; value: unknown; origin: Origin }[] {
    return [...this.#byOption]
      .filter(([option]) => this.isGiven(option))
      .map(([option, setting]) => ({ option, ...setting }))
  }

  #setting(option: Option): Setting {
    const setting = this.#byOption.get(option)
    if (!setting) throw new Error(`the option ${option.flag} was read but never loaded`)
    return setting
  }
}

export interface Sources {
  readonly options: Iterable<Option>
  readonly commandLine: readonly Given[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Reads a file; undefined if it does not exist. */
  readonly readText: (path: string) => string | undefined
  /** Returns true for unknown names in files that a second reading handles. */
  readonly passesOver?: (name: string) => boolean
}

/** The order is command line, environment, configuration file, profile, default. */
export function loadSettings(sources: Sources): Settings {
  const { options, commandLine, environment, readText, passesOver } = sources
  const index = new OptionIndex(options)
  const variables = fromEnvironment(environment, index)
  const warnings = [...unknownVariables(environment, index), ...formerVariables(environment, index)]
  const configFile = locator(sourceOptions.configFile, commandLine, variables)
  const file = configFile
    ? readConfigFile(configFile, index, readText, passesOver)
    : { given: [], warnings: [] }
  const profileName =
    locator(sourceOptions.profile, commandLine, variables) ??
    file.given.find(({ option }) => option === sourceOptions.profile)?.text
  const profile = profileName
    ? readProfile(profileName, index, readText, passesOver)
    : { given: [], warnings: [] }
  warnings.push(...file.warnings, ...profile.warnings)

  const winners = new Map<Option, Given>()
  for (const source of [profile.given, file.given, variables, commandLine]) {
    for (const given of source) winners.set(given.option, given)
  }
  for (const { option, text, origin } of [...winners.values()]) {
    const brought = option.brings(interpret({ option, text, origin }) as NonNullable<unknown>)
    if (brought === undefined) continue
    for (const given of readProfile(brought, index, readText, passesOver).given) {
      if (!winners.has(given.option)) winners.set(given.option, given)
    }
  }
  const settings = new Map<Option, Setting>()
  for (const option of index.all) {
    const winner = winners.get(option)
    settings.set(
      option,
      winner
        ? { value: interpret(winner), origin: winner.origin }
        : { value: option.default, origin: BY_DEFAULT },
    )
  }
  const isOn = (flag: string) => settings.get(index.find(flag)!)?.value === true
  for (const [option, { value, origin }] of settings) {
    const { inert, flag } = option
    if (inert === undefined || ['default', 'profile'].includes(origin.source)) continue
    if (inert.isMet?.(value) || (inert.partOf !== undefined && !isOn(inert.partOf))) continue
    warnings.push(`${flag} (${describeOrigin(origin)}) has no effect: ${inert.why}`)
  }
  return new Settings(settings, warnings)
}

/** The value of a given option. A fault names the option and its origin. */
export function interpret({ option, text, origin }: Given): unknown {
  try {
    return option.kind.parse(text)
  } catch (error) {
    const { message } = error as Fault
    throw usageFault(
      `Invalid value for option '${option.flag}': ${message.replace(/\.$/, '')} (${describeOrigin(origin)}).`,
      {
        cause: error,
      },
    )
  }
}

/** The reason why a value stops the start, if it does. */
export function refusalOf(option: Option, value: unknown): string | undefined {
  const { refused, flag, kind } = option
  if (refused === undefined || refused.accepts?.(value as NonNullable<unknown>)) return undefined
  return `${flag}=${kind.format(value as NonNullable<unknown>)} is refused: ${refused.why}`
}

export function describeOrigin({ source, name }: Origin): string {
  switch (source) {
    case 'command line':
      return 'from the command line'
    case 'environment':
      return `from the environment variable ${name}`
    case 'config file':
      return `from the config file ${name}`
    case 'profile':
      return `from the profile ${name}`
    case 'default':
      return 'by default'
  }
}

/**
 * Lists the options in force, one per line: the given ones with their origin, and those in `always`, which an operator
 * wants to see even at their default.
 */
export function formatOverview(settings: Settings, always: readonly Option[]): string[] {
  const given = settings.given().map(({ option }) => option)
  const shown = new Set([...always, ...given.filter((option) => option.inert === undefined)])
  return [...shown].map((option) => {
    const value = settings.get(option)
    const text =
      value === undefined || value === null ? (option.defaultText ?? 'not set') : option.kind.format(value)
    return `${option.flag}=${text} (${describeOrigin(settings.origin(option))})`
  })
}

/** `--config-file` and `--profile` determine the other sources, so two values would be ambiguous. */
function locator(
  option: Option,
  commandLine: readonly Given[],
  variables: readonly Given[],
): string | undefined {
  const flag = commandLine.find((given) => given.option === option)
  const variable = variables.find((given) => given.option === option)
  if (flag && variable) {
    throw usageFault(
      `Both ${variable.origin.name}=${variable.text} and ${option.flag}=${flag.text} are specified. Please specify only one.`,
    )
  }
  return (flag ?? variable)?.text
}

function readConfigFile(
  path: string,
  index: OptionIndex,
  readText: Sources['readText'],
  passesOver: Sources['passesOver'],
) {
  const toml = readText(path)
  if (toml === undefined) throw usageFault(`Unable to read TOML configuration, file not found: ${path}`)
  return fromToml(toml, index, { source: 'config file', name: path }, passesOver)
}

function readProfile(
  name: string,
  index: OptionIndex,
  readText: Sources['readText'],
  passesOver: Sources['passesOver'],
) {
  if (name.toUpperCase() === 'NONE') return { given: [], warnings: [] }
  const toml = builtInProfile(name) ?? (/^[\w-]+$/.test(name) ? readText(`profiles/${name}.toml`) : undefined)
  if (toml === undefined) {
    throw usageFault(
      `There is no profile '${name}' and no file profiles/${name}.toml. Built-in profiles: ${PROFILE_NAMES.join(', ')}.${suggestion(name, PROFILE_NAMES)}`,
    )
  }
  return fromToml(toml, index, { source: 'profile', name }, passesOver)
}
