import type { Plants } from './plant.ts'

const DEPENDENT = 'src/node/dependent-options.ts'
const DEPENDENT_TEST = 'src/node/dependent-options.test.ts'
const NODE_KEY = 'src/p2p/key/key-file.ts'
const NODE_KEY_TEST = 'src/node/key-file.test.ts'

export const OPTION_PLANTS: Plants = {
  'options-tls-ignored': {
    mistake: 'TLS options without --rpc-http-tls-enabled are only a warning',
    file: DEPENDENT,
    from: '...security([httpTlsOptions.enabled]',
    to: '...harmless([httpTlsOptions.enabled]',
    caughtBy: DEPENDENT_TEST,
  },
  'options-refusals-dropped': {
    mistake: 'ineffective security options do not stop the start',
    file: 'src/node/validate-options.ts',
    from: "  if (refusals.length > 0) throw usageFault(refusals.join('\\n'))\n}\n\n/** Sentences",
    to: '  if (refusals.length < 0) throw usageFault(String(refusals))\n}\n\n/** Sentences',
    caughtBy: DEPENDENT_TEST,
  },
  'options-profile-is-purpose': {
    mistake: 'an unset switch counts as disabled on purpose',
    file: DEPENDENT,
    from: 'if (isSecurity && !isOffOnPurpose)',
    to: 'if (isSecurity && isOffOnPurpose)',
    caughtBy: DEPENDENT_TEST,
  },
  'options-false-asks': {
    mistake: 'an option set to false stops the start',
    file: DEPENDENT,
    from: 'isChosen(settings, option) && value !== false && ',
    to: 'isChosen(settings, option) && ',
    caughtBy: DEPENDENT_TEST,
  },
  'options-plain-key-password': {
    mistake: 'a password file for a plain node key is ignored',
    file: NODE_KEY,
    from: '  if (key === undefined) throw refused()\n  refuseUnusedPassword(settings, path)\n',
    to: '  if (key === undefined) throw refused()\n',
    caughtBy: NODE_KEY_TEST,
  },
  'options-plain-key-made': {
    mistake: 'a plain node key is created although a password is given',
    file: NODE_KEY,
    from: 'curve: CurveName): Uint8Array {\n  refuseUnusedPassword(settings, path)\n',
    to: 'curve: CurveName): Uint8Array {\n',
    caughtBy: NODE_KEY_TEST,
  },
}
