import type { Plants } from './plant.ts'

const OPTIONS = 'src/fleet/migrate/besu-options.ts'
const OPTIONS_TEST = 'src/fleet/migrate/besu-options.test.ts'
const FILES = 'src/fleet/migrate/migrated-files.ts'
const GOQUORUM = 'src/cli/migrate/migrate-goquorum.ts'
const MODES_TEST = 'src/cli/migrate/migrate-modes.test.ts'

export const MIGRATE_PLANTS: Plants = {
  'migrate-drops-unknown': {
    mistake: 'an unknown protective option is dropped',
    file: OPTIONS,
    from: "newKey: key, fate: 'refused', why",
    to: "newKey: undefined, fate: 'ignored', why",
    caughtBy: OPTIONS_TEST,
  },
  'migrate-unquoted-key': {
    mistake: 'a key of the old file becomes a different option in the new one',
    file: FILES,
    from: '{tomlKeyText(newKey)} = ',
    to: '{newKey} = ',
    caughtBy: OPTIONS_TEST,
  },
  'migrate-private-transactions': {
    mistake: 'a node with private transactions is migrated without them',
    file: OPTIONS,
    from: 'if (stopping !== undefined) throw',
    to: "if (stopping?.key === '') throw",
    caughtBy: OPTIONS_TEST,
  },
  'migrate-widens-modes': {
    mistake: 'all users can read the copy of a private file',
    file: FILES,
    from: '((modeOf(source) ?? 0) & READABLE_BY_ALL) === 0',
    to: '((modeOf(source) ?? 0) & READABLE_BY_ALL) === 1',
    caughtBy: MODES_TEST,
  },
  'migrate-open-directory': {
    mistake: 'all users can list the directory of a migrated node',
    file: FILES,
    from: 'const OWNER_DIRECTORY = 0o700',
    to: 'const OWNER_DIRECTORY = 0o755',
    caughtBy: MODES_TEST,
  },
  'migrate-admits-banned': {
    mistake: 'the allowlist contains a node that GoQuorum banned',
    file: GOQUORUM,
    from: 'withoutBanned(convertNodeList(permissioned.name, permissioned.text), banned)',
    to: 'convertNodeList(permissioned.name, permissioned.text)',
    caughtBy: MODES_TEST,
  },
  'migrate-dials-banned': {
    mistake: 'a node that GoQuorum banned is dialled',
    file: GOQUORUM,
    from: 'withoutBanned(convertNodeList(known.name, known.text), banned)',
    to: 'convertNodeList(known.name, known.text)',
    caughtBy: MODES_TEST,
  },
  'migrate-bans-by-address': {
    mistake: 'a banned node at another address is admitted',
    file: 'src/fleet/migrate/goquorum-nodes.ts',
    from: 'return parseEnode(enode, { allowHostNames: true }).id.toLowerCase()',
    to: 'return enode.toLowerCase()',
    caughtBy: MODES_TEST,
  },
  'migrate-banned-without-list': {
    mistake: 'banned nodes are admitted if there is no allowlist',
    file: GOQUORUM,
    from: 'if (permissioned === undefined) {',
    to: "if (permissioned?.name === '') {",
    caughtBy: MODES_TEST,
  },
  'migrate-contract-permissions': {
    mistake: 'permissions in contracts are dropped',
    file: GOQUORUM,
    from: 'if (kindOfPath(join(dataPath, CONTRACT_PERMISSIONS)) !== undefined) {',
    to: "if (dataPath === '') {",
    caughtBy: MODES_TEST,
  },
}
