import { path, text } from './kinds.ts'
import { defineOptions } from './option.ts'

/** Where the other options come from. */
export const sourceOptions = defineOptions('Configuration', {
  configFile: {
    flag: '--config-file',
    kind: path,
    label: 'FILE',
    help: 'TOML file with options: each key is an option name without the dashes.',
  },
  profile: {
    flag: '--profile',
    kind: text,
    label: 'NAME',
    help: 'Preset of options: a built-in name (see docs/cli.md), or the name of a file profiles/<NAME>.toml. Every other source wins over it.',
  },
})
