import { boolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const permissionsOptions = defineOptions('Permissions', {
  accountsEnabled: {
    flag: '--permissions-accounts-config-file-enabled',
    kind: boolean,
    default: false,
    help: 'Take transactions, and put them into blocks, only of accounts on the allowlist of the permissions file.',
  },
  accountsFile: {
    flag: '--permissions-accounts-config-file',
    kind: path,
    help: 'Permissions file with the accounts allowlist (docs/permissioning.md).',
    defaultText: '<data path>/permissions_config.toml',
  },
  nodesEnabled: {
    flag: '--permissions-nodes-config-file-enabled',
    kind: boolean,
    default: false,
    help: 'Connect only to nodes on the allowlist of the permissions file.',
  },
  nodesFile: {
    flag: '--permissions-nodes-config-file',
    kind: path,
    help: 'Permissions file with the nodes allowlist (docs/permissioning.md).',
    defaultText: '<data path>/permissions_config.toml',
  },
  fileWatch: {
    flag: '--permissions-file-watch',
    kind: boolean,
    default: false,
    help: 'Load the permissions file again when it changes. Otherwise perm_reloadPermissionsFromFile does.',
  },
})
