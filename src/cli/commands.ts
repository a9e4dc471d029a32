import type { Command } from './command.ts'

/** A command that is not loaded yet, so listing it does not cost start-up time. */
export interface CommandRow {
  readonly path: readonly [group: string, name: string] | readonly [name: string]
  readonly summary: string
  load(): Promise<Command>
}

export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  audit: 'The log of changes and of their authors.',
  backup: 'Backups of the data directory.',
  blocks: 'Blocks in files.',
  db: 'The database of a node that is stopped.',
  genesis: 'Genesis files.',
  history: 'Segments of old blocks.',
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
    summary: 'Check an audit log for changed, removed, moved or inserted lines.',
    load: async () => (await import('./commands/audit-verify.ts')).default,
  },
  {
    path: ['backup', 'create'],
    summary: 'Back up the data directory, also of a running node.',
    load: async () => (await import('./commands/backup.ts')).createBackup,
  },
  {
    path: ['backup', 'restore'],
    summary: 'Restore a data directory from a backup.',
    load: async () => (await import('./commands/backup.ts')).restoreBackup,
  },
  {
    path: ['backup', 'verify'],
    summary: 'Verify a backup.',
    load: async () => (await import('./commands/backup.ts')).verifyBackup,
  },
  {
    path: ['blocks', 'export'],
    summary: 'Export blocks to a file.',
    load: async () => (await import('./commands/blocks.ts')).exportToFile,
  },
  {
    path: ['blocks', 'import'],
    summary: 'Import blocks from files.',
    load: async () => (await import('./commands/blocks.ts')).importFiles,
  },
  {
    path: ['db', 'check'],
    summary: 'Check chain, indexes and state for damage.',
    load: async () => (await import('./commands/db.ts')).checkDatabase,
  },
  {
    path: ['db', 'compact'],
    summary: 'Compact the database.',
    load: async () => (await import('./commands/db.ts')).compactDatabase,
  },
  {
    path: ['db', 'prune'],
    summary: 'Remove old states and call traces.',
    load: async () => (await import('./commands/db.ts')).pruneDatabase,
  },
  {
    path: ['db', 'stats'],
    summary: 'Show the size of each table.',
    load: async () => (await import('./commands/db.ts')).databaseStats,
  },
  {
    path: ['doctor'],
    summary: 'Diagnose a node, its machine and its network.',
    load: async () => (await import('./commands/doctor.ts')).default,
  },
  {
    path: ['genesis', 'validate'],
    summary: 'Check a genesis file and explain every mistake in it.',
    load: async () => (await import('./commands/genesis-validate.ts')).default,
  },
  {
    path: ['history', 'export'],
    summary: 'Export blocks and receipts to era files.',
    load: async () => (await import('./commands/era.ts')).exportEras,
  },
  {
    path: ['history', 'import'],
    summary: 'Import and execute the blocks of era files.',
    load: async () => (await import('./commands/era.ts')).importEras,
  },
  {
    path: ['history', 'list'],
    summary: 'List the segments of old blocks, also of a running node.',
    load: async () => (await import('./commands/history.ts')).listHistory,
  },
  {
    path: ['history', 'prune'],
    summary: 'Reduce old segments to headers.',
    load: async () => (await import('./commands/history.ts')).pruneHistory,
  },
  {
    path: ['history', 'repair'],
    summary: 'Replace damaged segments by copies, also of a running node.',
    load: async () => (await import('./commands/history.ts')).repairSegments,
  },
  {
    path: ['history', 'verify'],
    summary: 'Verify checksums, blocks and indexes of the segments, also of a running node.',
    load: async () => (await import('./commands/history.ts')).verifyHistory,
  },
  {
    path: ['migrate', 'besu'],
    summary: "Create a node from Besu's configuration, key, genesis and permissions files.",
    load: async () => (await import('./migrate/migrate-besu.ts')).default,
  },
  {
    path: ['migrate', 'goquorum'],
    summary: "Create a node from GoQuorum's genesis file, key and node lists.",
    load: async () => (await import('./migrate/migrate-goquorum.ts')).default,
  },
  {
    path: ['key', 'encrypt'],
    summary: 'Encrypt the node key into a keystore.',
    load: async () => (await import('./commands/key.ts')).encryptNodeKey,
  },
  {
    path: ['key', 'new'],
    summary: 'Generate a private key.',
    load: async () => (await import('./commands/key.ts')).newKey,
  },
  {
    path: ['network', 'new'],
    summary: 'Create a network: genesis file, keys and a configuration per node.',
    load: async () => (await import('./network/network-new.ts')).default,
  },
  {
    path: ['network', 'up'],
    summary: 'Start a network and restart nodes that fail.',
    load: async () => (await import('./network/network-up.ts')).networkUp,
  },
  {
    path: ['network', 'status'],
    summary: 'Show block, round, peers, pool and consensus state of each node.',
    load: async () => (await import('./network/network-up.ts')).networkStatus,
  },
  {
    path: ['network', 'logs'],
    summary: 'Show the logs of nodes.',
    load: async () => (await import('./network/network-logs.ts')).default,
  },
  {
    path: ['network', 'start'],
    summary: 'Start a stopped node.',
    load: async () => (await import('./network/network-nodes.ts')).startNode,
  },
  {
    path: ['network', 'stop'],
    summary: 'Stop a node until it is started again.',
    load: async () => (await import('./network/network-nodes.ts')).stopNode,
  },
  {
    path: ['network', 'kill'],
    summary: 'Kill a node, as a power cut would.',
    load: async () => (await import('./network/network-nodes.ts')).killNode,
  },
  {
    path: ['network', 'add'],
    summary: 'Add a validator: key, start, sync, votes.',
    load: async () => (await import('./network/network-validators.ts')).addValidator,
  },
  {
    path: ['network', 'remove'],
    summary: 'Vote a validator out and stop it.',
    load: async () => (await import('./network/network-validators.ts')).removeValidator,
  },
  {
    path: ['network', 'export'],
    summary: 'Export a network to systemd, Docker Compose or Kubernetes.',
    load: async () => (await import('./network/network-export.ts')).default,
  },
  {
    path: ['network', 'upgrade'],
    summary: 'Upgrade the nodes one by one.',
    load: async () => (await import('./network/network-upgrade.ts')).default,
  },
  {
    path: ['network', 'down'],
    summary: 'Stop the network.',
    load: async () => (await import('./network/network-nodes.ts')).stopNetwork,
  },
  {
    path: ['operator', 'generate-blockchain-config'],
    summary: 'Generate node keys and a genesis file that names them as validators.',
    load: async () => (await import('./commands/operator-generate-blockchain-config.ts')).default,
  },
  {
    path: ['password', 'hash'],
    summary: 'Hash a password for the credentials file.',
    load: async () => (await import('./commands/password-hash.ts')).default,
  },
  {
    path: ['plugins', 'list'],
    summary: 'List plugins with their features and options.',
    load: async () => (await import('./commands/plugins-list.ts')).default,
  },
  {
    path: ['public-key', 'export'],
    summary: "Print the node's public key.",
    load: async () => (await import('./commands/public-key.ts')).exportPublicKey,
  },
  {
    path: ['public-key', 'export-address'],
    summary: "Print the node's address.",
    load: async () => (await import('./commands/public-key.ts')).exportAddress,
  },
  {
    path: ['rlp', 'decode'],
    summary: 'Decode extra data into a validator list.',
    load: async () => (await import('./commands/rlp.ts')).decodeExtraData,
  },
  {
    path: ['rlp', 'encode'],
    summary: 'Encode a validator list into extra data.',
    load: async () => (await import('./commands/rlp.ts')).encodeExtraData,
  },
  {
    path: ['state', 'export'],
    summary: 'Export the state of the head, with its block and all headers.',
    load: async () => (await import('./commands/state.ts')).exportState,
  },
  {
    path: ['state', 'import'],
    summary: 'Start a chain from a state file, and verify it.',
    load: async () => (await import('./commands/state.ts')).importState,
  },
  {
    path: ['trace'],
    summary: 'Show the calls of a transaction, with names from artifacts.',
    load: async () => (await import('./trace/trace-command.ts')).default,
  },
  {
    path: ['traces', 'rebuild'],
    summary: 'Add call traces to blocks imported without them.',
    load: async () => (await import('./commands/traces-rebuild.ts')).default,
  },
  {
    path: ['validate-config'],
    summary: 'Check a TOML configuration file.',
    load: async () => (await import('./commands/validate-config.ts')).default,
  },
]
