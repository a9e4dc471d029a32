import { boolean, explicitBoolean, integer, listOf, oneOf, percentage, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const pluginOptions = defineOptions('Plugins', {
  plugins: {
    flag: '--plugins',
    kind: listOf(text),
    label: 'NAME,…',
    defaultText: 'all in <data path>/plugins',
    help: 'Plugins: names in <data path>/plugins, or module paths.',
  },
  continueOnError: {
    flag: '--plugin-continue-on-error',
    kind: boolean,
    default: false,
    help: 'Start without plugins that fail to load or start.',
  },
  verificationMode: {
    flag: '--plugins-verification-mode',
    aliases: ['--plugins-verification'],
    kind: oneOf(['NONE', 'FULL']),
    default: 'NONE',
    help: 'FULL: load only plugins whose files match SHA256SUMS.',
    details: 'The file SHA256SUMS is next to the module.',
  },
  externalEnabled: {
    flag: '--Xplugins-external-enabled',
    kind: explicitBoolean,
    default: true,
    hidden: true,
    help: 'Load plugins.',
  },
  maxMemoryMb: {
    flag: '--Xplugins-max-memory-mb',
    kind: integer({ min: 16, max: 4096 }),
    default: 128,
    hidden: true,
    help: 'Memory limit of a plugin in MB; above it, it restarts.',
  },
  selectionMaxTime: {
    flag: '--plugin-block-txs-selection-max-time',
    kind: percentage,
    default: 50,
    help: 'Maximum share of transaction selection time for plugins.',
  },
})
