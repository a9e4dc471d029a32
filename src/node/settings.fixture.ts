import { OptionIndex, parseArguments } from '#config/command-line.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import { ALL_OPTIONS } from './all-options.ts'

/** The settings of these arguments, without environment and files. */
export function settingsOf(...args: readonly string[]): Settings {
  const { given } = parseArguments(args, new OptionIndex(ALL_OPTIONS))
  return loadSettings({
    options: ALL_OPTIONS,
    commandLine: given,
    environment: {},
    readText: () => undefined,
  })
}
