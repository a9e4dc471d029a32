/** Options of earlier versions of Besu, which operators still have in their files and scripts, by name without dashes. */

/** Names that Besu has replaced by others of the same meaning. */
export const RENAMED: Readonly<Record<string, string>> = {
  'host-whitelist': 'host-allowlist',
  'bonsai-maximum-back-layers-to-load': 'bonsai-historical-block-limit',
  'fast-sync-min-peers': 'sync-min-peers',
  'Xfilter-on-enr-fork-id': 'filter-on-enr-fork-id',
  'Xblock-txs-selection-max-time': 'block-txs-selection-max-time',
  'Xpoa-block-txs-selection-max-time': 'poa-block-txs-selection-max-time',
  'Xlayered-tx-pool-layer-max-capacity': 'tx-pool-layer-max-capacity',
  'Xlayered-tx-pool-max-prioritized': 'tx-pool-max-prioritized',
  'Xlayered-tx-pool-max-future-by-sender': 'tx-pool-max-future-by-sender',
  'Xbonsai-limit-trie-logs-enabled': 'bonsai-limit-trie-logs-enabled',
  'Xbonsai-trie-log-pruning-enabled': 'bonsai-limit-trie-logs-enabled',
  'Xbonsai-trie-logs-pruning-window-size': 'bonsai-trie-logs-pruning-window-size',
  'Xbonsai-parallel-tx-processing-enabled': 'bonsai-parallel-tx-processing-enabled',
  'Xsnapsync-server-enabled': 'snapsync-server-enabled',
  'Xsnapsync-synchronizer-pre-merge-headers-only-enabled':
    'snapsync-synchronizer-pre-checkpoint-headers-only-enabled',
  'Xsnapsync-synchronizer-flat-db-healing-enabled': 'Xbonsai-full-flat-db-enabled',
  'Xhistory-expiry-prune': 'history-expiry-prune',
}

export interface Retired {
  readonly key: RegExp
  readonly why: string
  /** It protects the node, or holds state: a node must not run without it by accident. */
  readonly stops?: true
}

const CONTRACT_PERMISSIONS =
  'Cairn reads permissions from a file, not from a contract; write the permitted ones into a permissions file and set permissions-nodes-config-file-enabled and permissions-accounts-config-file-enabled.'

/** Options that neither Besu 26.8 nor Cairn has; networks of the quickstart have some of them. */
export const RETIRED: readonly Retired[] = [
  {
    key: /^privacy-enabled$/,
    why: 'Cairn has no private transactions: what they did is in the private state of this node and of its Tessera alone. Move contracts that need them to public ones, or keep Besu for them.',
    stops: true,
  },
  { key: /^permissions-(nodes|accounts)-contract-enabled$/, why: CONTRACT_PERMISSIONS, stops: true },
  { key: /^permissions-(nodes|accounts)-contract-/, why: CONTRACT_PERMISSIONS },
  {
    key: /^(nodes|accounts)-whitelist$/,
    why: 'Permitted nodes and accounts are in the permissions file, as nodes-allowlist and accounts-allowlist.',
  },
  { key: /^privacy-/, why: 'Cairn has no private transactions.' },
  {
    key: /^engine-jwt-enabled$/,
    why: 'Besu replaced it by engine-jwt-disabled, which means the opposite.',
  },
  { key: /^Xlayered-tx-pool$/, why: 'Besu replaced it by tx-pool, which is layered or sequenced.' },
  { key: /^tx-pool-hashes-max-size$/, why: 'The pool drops transactions by rules of its own.' },
  { key: /^(pruning-|Xpruning-)/, why: 'Cairn prunes by bonsai-historical-block-limit.' },
  {
    key: /^(fast-sync-|Xsynchronizer-|Xsnapsync-|Xcheckpoint-)/,
    why: 'Cairn executes every block that it catches up with.',
  },
  {
    key: /^(compatibility-eth64-forkid-enabled|X?p2p-peer-lower-bound|Xmerge-support)$/,
    why: 'Besu has removed it, and Cairn needs none.',
  },
  { key: /^(miner-stratum-|Xminer-|goquorum-compatibility-)/, why: 'Cairn does not do this.' },
]

export function retiredOption(key: string): Retired | undefined {
  return RETIRED.find((row) => row.key.test(key))
}

/** What became of an option, as a sentence; undefined if Besu never had it, or still has it. */
export function formerOption(key: string, dashes: '--' | '' = ''): string | undefined {
  const name = RENAMED[key]
  if (name !== undefined) return `Besu renamed it: use ${dashes}${name}.`
  const retired = retiredOption(key)
  return retired && `${retired.why} Remove the option.`
}
