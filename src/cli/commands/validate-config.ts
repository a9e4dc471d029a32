import { defineCommand } from '#cli/command.ts'
import { readTextIfPresent } from '#cli/read-text.ts'
import { OptionIndex } from '#config/command-line.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { interpret, loadSettings, refusalOf } from '#config/settings.ts'
import { fromToml } from '#config/sources.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { findWithoutEffect } from '#node/dependent-options.ts'
import { isPluginOption } from '#plugins/plugin-settings.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Options', {
  configFile: { flag: '--config-file', kind: path, required: true, help: 'TOML file to check.' },
})

export default defineCommand({
  options,
  run({ own, io }) {
    const file = own.get(options.configFile)
    const toml = readTextIfPresent(file)
    if (toml === undefined) throw usageFault(`Unable to read TOML configuration, file not found: ${file}`)
    const origin = { source: 'config file', name: file } as const
    // Plugin options are known only after their modules are loaded, which only a node does.
    const { given, warnings } = fromToml(toml, new OptionIndex(ALL_OPTIONS), origin, isPluginOption)
    for (const warning of warnings) io.err(`Warning: ${warning}\n`)
    const mistakes = given.flatMap((each) => {
      if (each.option.inert !== undefined)
        io.err(`Warning: ${each.option.flag} has no effect: ${each.option.inert.why}\n`)
      try {
        return refusalOf(each.option, interpret(each)) ?? []
      } catch (error) {
        return [(error as Error).message]
      }
    })
    if (mistakes.length > 0) throw new Fault('CONFIG_INVALID', { sentence: mistakes.join('\n') })
    // Only warnings: the command line or the environment may still turn the missing switch on.
    const alone = loadSettings({
      options: ALL_OPTIONS,
      commandLine: given,
      environment: {},
      readText: () => undefined,
    })
    const { refusals, warnings: ignored } = findWithoutEffect(alone)
    for (const sentence of [...refusals, ...ignored]) io.err(`Warning: ${sentence}\n`)
    io.out(
      'TOML config file is valid on basic inspection. Further dependencies between related options are checked when cairn starts.\n',
    )
  },
})
