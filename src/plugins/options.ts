import { boolean, explicitBoolean, integer, listOf, oneOf, percentage, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const pluginOptions = defineOptions('Plugins', {
  plugins: {
    flag: '--plugins',
    kind: listOf(text),
    label: 'NAME,…',
    defaultText: 'all in <data path>/plugins',
    help: 'Plugins to load: names of modules in <data path>/plugins, or paths of modules.',
  },
  continueOnError: {
    flag: '--plugin-continue-on-error',
    kind: boolean,
    default: false,
    help: 'Start without a plugin that cannot be loaded or started, instead of not starting.',
  },
  verificationMode: {
    flag: '--plugins-verification-mode',
    aliases: ['--plugins-verification'],
    kind: oneOf(['NONE', 'FULL']),
    default: 'NONE',
    help: 'FULL: a plugin is loaded only if the file SHA256SUMS beside its module lists it, and every listed file is as it says.',
  },
  externalEnabled: {
    flag: '--Xplugins-external-enabled',
    kind: explicitBoolean,
    default: true,
    hidden: true,
    help: 'Whether plugins are loaded at all.',
  },
  maxMemoryMb: {
    flag: '--Xplugins-max-memory-mb',
    kind: integer({ min: 16, max: 4096 }),
    default: 128,
    hidden: true,
    help: 'Memory that one plugin may use, in megabytes; with more it is ended and started again.',
  },
  selectionMaxTime: {
    flag: '--plugin-block-txs-selection-max-time',
    kind: percentage,
    default: 50,
    help: 'Most of the time for choosing the transactions of a block that plugins may take.',
  },
  securityModule: {
    flag: '--security-module',
    kind: text,
    default: 'localfile',
    label: 'NAME',
    help: 'Who holds the private key of the node: localfile, or the name of a plugin that has a signer.',
  },
})
