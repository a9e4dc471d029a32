import { boolean } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

/** Options of the program itself and of every command. */
export const helpOptions = defineOptions('Help', {
  help: { flag: '--help', aliases: ['-h'], kind: boolean, default: false, help: 'Show this help and exit.' },
  version: {
    flag: '--version',
    aliases: ['-V'],
    kind: boolean,
    default: false,
    help: 'Show the version and exit.',
  },
})
