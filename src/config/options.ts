import { path, text } from './kinds.ts'
import { defineOptions } from './option.ts'

/** The sources of the other options. */
export const sourceOptions = defineOptions('Configuration', {
  configFile: {
    flag: '--config-file',
    kind: path,
    help: 'TOML configuration file; keys are option names without dashes.',
  },
  profile: {
    flag: '--profile',
    kind: text,
    label: 'NAME',
    help: 'Preset: a built-in name, or the file profiles/<NAME>.toml.',
    details: 'Every other source overrides it.',
  },
})
