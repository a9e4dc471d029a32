import { boolean, explicitBoolean, integer, long, pairs, text } from '#config/kinds.ts'
import { inertOptions, isTrue, never } from './rows.ts'

const ROCKSDB = 'Cairn does not store its data in RocksDB.'
const ONE_WAY = 'Cairn has one implementation of this, so there is no choice.'
const GOSSIP = 'Cairn has its own rules for exchanging transactions with peers.'

const isNoPruning = (value: unknown): boolean => /^(none|false)$/i.test(String(value))

export const ledgerRows = [
  ...inertOptions('Data storage', 'Cairn has no index of transactions by sender and nonce.', [
    ['--tx-sender-nonce-index-enabled', boolean, 'Index transactions by sender and nonce.'],
  ]),
  ...inertOptions('Data storage', 'Cairn always refuses a data directory that a newer version has written.', [
    [
      '--version-compatibility-protection',
      boolean,
      'Refuse a data directory of a newer version.',
      { isMet: isTrue },
    ],
  ]),
  ...inertOptions('Data storage', 'Cairn keeps every block.', [
    ['--history-expiry-prune', boolean, 'Prune history online.'],
    ['--Xchain-pruning-enabled', text, 'Prune old blocks.', { isMet: isNoPruning }],
    ['--Xchain-pruning-blocks-retained', long, 'Blocks to keep when pruning.'],
    ['--Xchain-pruning-blocks-retained-minimum', long, 'Fewest blocks to keep when pruning.'],
    ['--Xchain-pruning-frequency', integer(), 'Blocks between prunings.'],
    ['--Xpre-merge-pruning-quantity', integer(), 'Blocks per pruning.'],
  ]),
  ...inertOptions('Data storage', ONE_WAY, [
    ['--genesis-state-hash-cache-enabled', boolean, 'Trust the stored hash of the genesis state.'],
    ['--bonsai-limit-trie-logs-enabled', boolean, 'Limit the number of trie logs.'],
    ['--bonsai-trie-logs-pruning-window-size', integer(), 'Trie logs to prune at start.'],
    ['--bonsai-parallel-tx-processing-enabled', explicitBoolean, 'Execute transactions in parallel.'],
    [
      '--bonsai-parallel-state-root-computation-enabled',
      explicitBoolean,
      'Compute the state root in parallel.',
    ],
    ['--receipt-compaction-enabled', boolean, 'Store receipts compactly.'],
    ['--auto-log-bloom-caching-enabled', explicitBoolean, 'Cache log blooms; Cairn indexes logs instead.'],
    ['--cache-last-blocks', integer(), 'Blocks to keep in memory.'],
    ['--cache-last-block-headers', integer(), 'Headers to keep in memory.'],
    ['--cache-last-block-headers-preload-enabled', boolean, 'Load headers into memory at start.'],
    ['--cache-precompiles', boolean, 'Remember results of precompiled contracts.'],
    ['--Xbonsai-full-flat-db-enabled', boolean, 'Flat storage of the complete state.'],
    ['--Xbonsai-code-using-code-hash-enabled', boolean, 'Store code by its hash.'],
  ]),
  ...inertOptions('Data storage', ROCKSDB, [
    ['--Xplugin-rocksdb-max-open-files', integer(), 'Most open files.'],
    ['--Xplugin-rocksdb-cache-capacity', long, 'Bytes of cache.'],
    ['--Xplugin-rocksdb-background-thread-count', integer(), 'Background threads.'],
    ['--Xplugin-rocksdb-high-spec-enabled', boolean, 'Use more memory.'],
  ]),
  ...inertOptions(
    'Virtual machine',
    {
      why: 'The engine decides this; the environment variable CAIRN_ENGINE chooses the engine.',
      isMet: never,
    },
    [
      ['--Xevm-jumpdest-cache-weight-kb', integer(), 'Cache of jump destinations.'],
      ['--Xevm-worldstate-update-mode', text, 'How state changes are journaled.'],
      ['--Xevm-optimized-opcodes', boolean, 'Faster operations.'],
      ['--Xsecp256k1-native-enabled', boolean, 'Native secp256k1.'],
      ['--Xaltbn128-native-enabled', boolean, 'Native altbn128.'],
      ['--Xblake2bf-native-enabled', boolean, 'Native blake2bf.'],
      ['--Xmodexp-native-enabled', boolean, 'Native modexp.'],
      ['--Xp256verify-native-enabled', boolean, 'Native p256verify.'],
      ['--Xbal-optimization-enabled', boolean, 'Block access lists.'],
    ],
  ),
  ...inertOptions('Transaction pool', "Cairn's pool has one order, without layers and scores.", [
    ['--tx-pool-max-prioritized', integer({ min: 0 }), 'Transactions kept in order.'],
    ['--tx-pool-max-prioritized-by-type', pairs, 'Transactions of a type kept in order.'],
    ['--tx-pool-min-score', integer({ min: -128, max: 127 }), 'Score below which a transaction is dropped.'],
  ]),
  ...inertOptions(
    'Transaction pool',
    'Cairn saves its pool continuously and restores it within 40 seconds.',
    [['--Xtx-pool-save-restore-timeout', integer(), 'Milliseconds for keeping the pool.']],
  ),
  ...inertOptions('Transaction pool', GOSSIP, [
    ['--p2p-tx-feecap', text, 'Highest fee, in wei, of a transaction from another node.'],
    ['--Xincoming-tx-messages-keep-alive-seconds', integer(), 'Age at which messages are ignored.'],
    [
      '--Xeth65-tx-announced-buffering-period-milliseconds',
      integer(),
      'How long announcements are collected.',
    ],
    ['--Xmax-tracked-seen-txs-per-peer', integer(), 'Transactions remembered per node.'],
    ['--Xpeer-tracker-forget-evicted-txs', boolean, 'Forget evicted transactions.'],
  ]),
]
