import { OptionIndex, type ParseOptions, parseArguments } from '#config/command-line.ts'
import { usageFault } from '#config/faults.ts'
import type { OptionTable } from '#config/option.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import { helpOptions } from './help-options.ts'
import type { Io } from './io.ts'

/** The words after a command's options: `genesis validate <FILE>`. */
export interface Operands {
  readonly label: string
  readonly help: string
  readonly count: number
  /** Allows more operands than `count`. */
  readonly more?: true
}

export interface Command {
  readonly options: OptionTable
  readonly operands?: Operands
  run(context: CommandContext): Promise<void> | void
}

export interface CommandContext {
  /** The command's own options. */
  readonly own: Settings
  readonly operands: readonly string[]
  /** The options before the command (`--data-path=x public-key export`), with environment and config file. */
  root(): Settings
  readonly io: Io
}

export function defineCommand(command: Command): Command {
  return command
}

export interface ReadCommand {
  readonly own: Settings
  readonly operands: readonly string[]
  readonly asksForHelp: boolean
  readonly asksForVersion: boolean
}

/** Reads the arguments after a command's name. Environment and config file do not apply to a command's own options. */
export function readCommandArguments(
  command: Command,
  args: readonly string[],
  elsewhere?: ParseOptions['elsewhere'],
): ReadCommand {
  const options = [...Object.values(command.options), ...Object.values(helpOptions)]
  const { given, words } = parseArguments(args, new OptionIndex(options), { ...(elsewhere && { elsewhere }) })
  const own = loadSettings({ options, commandLine: given, environment: {}, readText: () => undefined })
  const asksForHelp = own.get(helpOptions.help)
  const asksForVersion = own.get(helpOptions.version)
  if (!asksForHelp && !asksForVersion) {
    requireOptions(command, own)
    requireOperands(command.operands, words)
  }
  return { own, operands: words, asksForHelp, asksForVersion }
}

function requireOptions(command: Command, own: Settings): void {
  const missing = Object.values(command.options).filter((option) => option.required && !own.isGiven(option))
  if (missing.length === 0) return
  const names = missing.map((option) => `'${option.flag}=<${option.label}>'`).join(', ')
  throw usageFault(`Missing required option${missing.length === 1 ? '' : 's'}: ${names}`)
}

function requireOperands(operands: Operands | undefined, words: readonly string[]): void {
  const expected = operands?.count ?? 0
  if (words.length > expected && !operands?.more) {
    throw usageFault(
      `Unmatched argument at index ${expected}: '${words[expected]}'; remove it, or write it as an option.`,
    )
  }
  if (operands && words.length < expected) {
    throw usageFault(`Missing argument <${operands.label}>: ${operands.help}`)
  }
}
