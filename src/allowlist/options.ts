import { boolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const permissionsOptions = defineOptions('Permissions', {
  accountsEnabled: {
    flag: '--permissions-accounts-config-file-enabled',
    kind: boolean,
    default: false,
    help: 'Only accept transactions of accounts on the allowlist.',
  },
  accountsFile: {
    flag: '--permissions-accounts-config-file',
    kind: path,
    help: 'Permissions file with the accounts allowlist (docs/operate/permissioning.md).',
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
    help: 'Permissions file with the nodes allowlist (docs/operate/permissioning.md).',
    defaultText: '<data path>/permissions_config.toml',
  },
  fileWatch: {
    flag: '--permissions-file-watch',
    kind: boolean,
    default: false,
    help: 'Reload the permissions file when it changes.',
    details: 'Otherwise only perm_reloadPermissionsFromFile reloads it.',
  },
})
