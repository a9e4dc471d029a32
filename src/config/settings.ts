import type { Fault } from '#types/fault.ts'
import { type Given, OptionIndex, type Origin } from './command-line.ts'
import { usageFault } from './faults.ts'
import { suggestion } from './nearest.ts'
import type { Option } from './option.ts'
import { sourceOptions } from './options.ts'
import { builtInProfile, PROFILE_NAMES } from './profiles.ts'
import { fromEnvironment, fromToml, unknownVariables } from './sources.ts'

const BY_DEFAULT: Origin = { source: 'default', name: 'default' }

interface Setting {
  readonly value: unknown
  readonly origin: Origin
}

/** The options in force, each with its origin. Asking for an option that was not loaded is a bug. */
export class Settings {
  readonly #byOption: ReadonlyMap<Option, Setting>
  /** Sentences for the operator: options without effect, values given twice. */
  readonly warnings: readonly string[]

  constructor(byOption: ReadonlyMap<Option, Setting>, warnings: readonly string[]) {
    this.#byOption = byOption
    this.warnings = warnings
  }

  /** A sentence for every option that must not be ignored and cannot be obeyed. No node starts with one of them. */
  refusals(): string[] {
    return this.given().flatMap(({ option, value, origin }) => {
      const sentence = refusalOf(option, value)
      return sentence === undefined ? [] : [`${sentence} It was given ${describeOrigin(origin)}.`]
    })
  }

  get<T>(option: Option<T>): T {
    return this.#setting(option).value as T
  }

  origin(option: Option): Origin {
    return this.#setting(option).origin
  }

  isGiven(option: Option): boolean {
    return this.#setting(option).origin.source !== 'default'
  }

  /** Every option that something other than its default decided. */
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
  /** Text of a file, or undefined when there is none. */
  readonly readText: (path: string) => string | undefined
  /** Names in files that are not known yet and are left to a second reading. */
  readonly passesOver?: (name: string) => boolean
}

/** Command line over environment over configuration file over profile over default. */
export function loadSettings(sources: Sources): Settings {
  const { options, commandLine, environment, readText, passesOver } = sources
  const index = new OptionIndex(options)
  const variables = fromEnvironment(environment, index)
  const warnings = unknownVariables(environment, index)
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
    if (winner && option.inert !== undefined && winner.origin.source !== 'profile') {
      warnings.push(`${option.flag} (${describeOrigin(winner.origin)}) has no effect: ${option.inert.why}`)
    }
  }
  return new Settings(settings, warnings)
}

/** The value of one given option; a fault names the option and the place to mend. */
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

/** Why a value stops the start, or undefined where it does not. */
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

/** `--config-file` and `--profile` decide where the rest is read, so two of them would be a riddle. */
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
