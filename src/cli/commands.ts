import type { Command } from './command.ts'

/** A command before it is loaded: naming it must not cost the start-up time of every other command. */
export interface CommandRow {
  readonly path: readonly [group: string, name: string] | readonly [name: string]
  readonly summary: string
  load(): Promise<{ default: Command }>
}

export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  audit: 'The log of what was changed, and by whom.',
  backup: 'Backups of the data directory.',
  blocks: 'Blocks in files.',
  db: 'The database of a node that is stopped.',
  genesis: 'Genesis files.',
  migrate: 'Moving a node of another program here.',
  key: 'The private key of a node.',
  network: 'A network on this machine: making, running and watching it.',
  operator: 'Preparing a network: keys and genesis file.',
  password: 'Passwords of the credentials file.',
  plugins: 'Plugins of the node.',
  'public-key': 'The public key and address of this node.',
  rlp: 'RLP encoding of extra data.',
  state: 'The state of the chain in a file.',
  traces: 'Call traces of the chain.',
}

export const COMMANDS: readonly CommandRow[] = [
  {
    path: ['audit', 'verify'],
    summary: 'Check that no line of an audit log was changed, removed, moved or put in.',
    load: () => import('./commands/audit-verify.ts'),
  },
  {
    path: ['backup', 'create'],
    summary: 'Back up the data directory, beside a running node or not.',
    load: () => import('./commands/backup/create-backup.ts'),
  },
  {
    path: ['backup', 'restore'],
    summary: 'Make a data directory of a backup.',
    load: () => import('./commands/backup/restore-backup.ts'),
  },
  {
    path: ['backup', 'verify'],
    summary: 'Read a backup and find out whether it is as it was written.',
    load: () => import('./commands/backup/verify-backup.ts'),
  },
  {
    path: ['blocks', 'export'],
    summary: 'Write blocks of the chain to a file.',
    load: () => import('./commands/blocks-export.ts'),
  },
  {
    path: ['blocks', 'import'],
    summary: 'Import blocks from files.',
    load: () => import('./commands/blocks-import.ts'),
  },
  {
    path: ['db', 'check'],
    summary: 'Find out whether chain, indexes and state are whole.',
    load: () => import('./commands/db/check-database.ts'),
  },
  {
    path: ['db', 'compact'],
    summary: 'Make the database smaller.',
    load: () => import('./commands/db/compact-database.ts'),
  },
  {
    path: ['db', 'prune'],
    summary: 'Remove old states and call traces.',
    load: () => import('./commands/db/prune-database.ts'),
  },
  {
    path: ['db', 'stats'],
    summary: 'Show how much each table holds.',
    load: () => import('./commands/db/database-stats.ts'),
  },
  {
    path: ['doctor'],
    summary: 'Look for what is wrong with a node, its machine and its network, and say what to do.',
    load: () => import('./commands/doctor.ts'),
  },
  {
    path: ['genesis', 'validate'],
    summary: 'Check a genesis file and explain every mistake in it.',
    load: () => import('./commands/genesis-validate.ts'),
  },
  {
    path: ['migrate', 'besu'],
    summary: "Make a node of Besu's configuration, key, genesis and permissions files.",
    load: () => import('./migrate/migrate-besu.ts'),
  },
  {
    path: ['migrate', 'goquorum'],
    summary: "Make a node of GoQuorum's genesis file, key and lists of nodes.",
    load: () => import('./migrate/migrate-goquorum.ts'),
  },
  {
    path: ['key', 'encrypt'],
    summary: "Write the node's private key into a keystore that a password opens.",
    load: () => import('./commands/key/encrypt-key.ts'),
  },
  {
    path: ['key', 'new'],
    summary: 'Make a private key.',
    load: () => import('./commands/key/new-key.ts'),
  },
  {
    path: ['network', 'new'],
    summary: 'Make a network: genesis file, keys and a configuration file for each node.',
    load: () => import('./network/network-new.ts'),
  },
  {
    path: ['network', 'up'],
    summary: 'Start the nodes of a network and restart those that fail.',
    load: () => import('./network/network-up.ts'),
  },
  {
    path: ['network', 'status'],
    summary: 'Show what each node says: block, round, peers, pool, and what consensus waits for.',
    load: () => import('./network/network-status.ts'),
  },
  {
    path: ['network', 'logs'],
    summary: 'Show the logs of nodes.',
    load: () => import('./network/network-logs.ts'),
  },
  {
    path: ['network', 'start'],
    summary: 'Start a node that was stopped.',
    load: () => import('./network/network-start.ts'),
  },
  {
    path: ['network', 'stop'],
    summary: 'Stop a node, until it is started again.',
    load: () => import('./network/network-stop.ts'),
  },
  {
    path: ['network', 'kill'],
    summary: 'End a node at once, as a power cut does.',
    load: () => import('./network/network-kill.ts'),
  },
  {
    path: ['network', 'add'],
    summary: 'Add a validator: key, start, catching up, votes.',
    load: () => import('./network/network-add.ts'),
  },
  {
    path: ['network', 'remove'],
    summary: 'Vote a validator out, and stop it.',
    load: () => import('./network/network-remove.ts'),
  },
  {
    path: ['network', 'export'],
    summary: 'Write a network as services of systemd, Docker Compose or Kubernetes.',
    load: () => import('./network/network-export.ts'),
  },
  {
    path: ['network', 'upgrade'],
    summary: 'Change the program of the nodes, one after the other.',
    load: () => import('./network/network-upgrade.ts'),
  },
  {
    path: ['network', 'down'],
    summary: 'Stop the network.',
    load: () => import('./network/network-down.ts'),
  },
  {
    path: ['operator', 'generate-blockchain-config'],
    summary: 'Generate node key pairs and a genesis file that names them as validators.',
    load: () => import('./commands/operator-generate-blockchain-config.ts'),
  },
  {
    path: ['password', 'hash'],
    summary: 'Hash a password for the credentials file.',
    load: () => import('./commands/password-hash.ts'),
  },
  {
    path: ['plugins', 'list'],
    summary: 'List the plugins of the node, what they bring and their options.',
    load: () => import('./commands/plugins-list.ts'),
  },
  {
    path: ['public-key', 'export'],
    summary: "Print the node's public key.",
    load: () => import('./commands/public-key-export.ts'),
  },
  {
    path: ['public-key', 'export-address'],
    summary: "Print the node's address.",
    load: () => import('./commands/public-key-export-address.ts'),
  },
  {
    path: ['rlp', 'decode'],
    summary: 'Decode extra data into the list of validators.',
    load: () => import('./commands/rlp-decode.ts'),
  },
  {
    path: ['rlp', 'encode'],
    summary: 'Encode a list of validators into extra data.',
    load: () => import('./commands/rlp-encode.ts'),
  },
  {
    path: ['state', 'export'],
    summary: 'Write the state of the head, with its block and all headers, to a file.',
    load: () => import('./commands/state/export-state.ts'),
  },
  {
    path: ['state', 'import'],
    summary: 'Begin a chain with the state in a file, and verify it.',
    load: () => import('./commands/state/import-state.ts'),
  },
  {
    path: ['traces', 'rebuild'],
    summary: 'Add the call traces of blocks that were imported without them.',
    load: () => import('./commands/traces-rebuild.ts'),
  },
  {
    path: ['validate-config'],
    summary: 'Check a TOML configuration file.',
    load: () => import('./commands/validate-config.ts'),
  },
]
