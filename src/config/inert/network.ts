import { boolean, decimal, integer, oneOf, path, port, text } from '#config/kinds.ts'
import { inertOptions } from './rows.ts'

const GROUP = 'Peer-to-peer network'
const OWN_LIMITS =
  'Cairn supports eth/66, 68 and 69, with its own limits for the requests and messages of peers.'
const FULL_SYNC = 'Cairn syncs by executing every block, and starts with the first peer that has more blocks.'
const OWN_BUILDING =
  'Cairn repeats a block with new transactions until the consensus client requests it, within its own limits.'

const isFull = (value: unknown): boolean => value === 'FULL'

export const networkRows = [
  ...inertOptions(GROUP, 'Cairn supports only discovery v4.', [
    ['--discovery-mode', text, 'Which discovery protocols run.'],
    ['--Xv5-discovery-enabled', boolean, 'Discovery version 5.'],
  ]),
  ...inertOptions(
    GROUP,
    'Cairn listens on one address, which may be IPv6: set it with --p2p-host and --p2p-interface.',
    [
      ['--p2p-host-ipv6', text, 'IPv6 address that other nodes reach this node at.'],
      ['--p2p-interface-ipv6', text, 'IPv6 network interface to listen on.'],
      ['--p2p-port-ipv6', port(), 'IPv6 port for other nodes.'],
      ['--p2p-discovery-port-ipv6', port(), 'IPv6 port for discovery.'],
      ['--p2p-ipv6-outbound-enabled', boolean, 'Prefer IPv6 for outgoing connections.'],
    ],
  ),
  ...inertOptions(GROUP, 'Cairn keeps its peers, and dials missing ones with growing delays.', [
    ['--random-peer-priority-enabled', boolean, 'Give incoming connections a random priority.'],
    ['--Xp2p-initiate-connections-frequency', integer(), 'Seconds between attempts to connect.'],
    ['--Xp2p-check-maintained-connections-frequency', integer(), 'Seconds between checks of static nodes.'],
  ]),
  ...inertOptions(GROUP, OWN_LIMITS, [
    ['--Xp2p-peer-task-timeout', integer(), 'Milliseconds to wait for an answer.'],
    ['--Xeth-max-message-size', integer(), 'Largest message in bytes.'],
    ['--Xeth-max-transactions-message-size', integer(), 'Largest message of transactions in bytes.'],
    ['--Xewp-max-get-headers', integer(), 'Most headers per answer.'],
    ['--Xewp-max-get-bodies', integer(), 'Most bodies per answer.'],
    ['--Xewp-max-get-receipts', integer(), 'Most receipts per answer.'],
    ['--Xewp-max-get-node-data', integer(), 'Most trie nodes per answer.'],
    ['--Xewp-max-get-pooled-transactions', integer(), 'Most pool transactions per answer.'],
    ['--Xeth-capability-min', integer(), 'Lowest eth version to speak.'],
    ['--Xeth-capability-max', integer(), 'Highest eth version to speak.'],
    ['--Xpeertask-system-enabled', boolean, 'The peer task system of Besu.'],
  ]),
  ...inertOptions('Consensus', 'Besu gives this option no effect either.', [
    ['--Xqbft-enable-early-round-change', boolean, 'Change rounds early.'],
    ['--min-block-occupancy-ratio', decimal, 'Fraction of a block to fill.', { hidden: true }],
  ]),
  ...inertOptions('Synchronisation', FULL_SYNC, [
    [
      '--sync-mode',
      oneOf(['FULL', 'SNAP'], { FAST: 'SNAP' }),
      'How to catch up with the network.',
      { isMet: isFull },
    ],
    ['--sync-min-peers', integer({ min: 0 }), 'Nodes to have before catching up.'],
    ['--checkpoint', text, 'Trusted block to start from: HASH:NUMBER:DIFFICULTY.'],
    ['--snapsync-server-enabled', boolean, 'Serve state to nodes that catch up.'],
    [
      '--snapsync-synchronizer-transaction-indexing-enabled',
      boolean,
      'Index transactions while catching up.',
    ],
    [
      '--snapsync-synchronizer-pre-checkpoint-headers-only-enabled',
      boolean,
      'Only headers before the checkpoint.',
    ],
    ['--Xsynchronizer-block-propagation-range', text, 'Which announced blocks to take.'],
    ['--Xsynchronizer-downloader-header-request-size', integer(), 'Headers per request.'],
    [
      '--Xsynchronizer-downloader-checkpoint-timeouts-permitted',
      integer(),
      'Timeouts before another node is asked.',
    ],
    ['--Xsynchronizer-downloader-chain-segment-size', integer(), 'Blocks per segment.'],
    ['--Xsynchronizer-downloader-parallelism', integer(), 'Parallel downloads.'],
    ['--Xsynchronizer-transactions-parallelism', integer(), 'Parallel transaction messages.'],
    ['--Xsynchronizer-computation-parallelism', integer(), 'Parallel computations.'],
    [
      '--Xsynchronizer-downloader-change-target-threshold-by-height',
      integer(),
      'When to change the node to follow.',
    ],
    ['--Xsynchronizer-downloader-change-target-threshold-by-td', text, 'When to change the node to follow.'],
    ['--Xsnapsync-synchronizer-pivot-block-distance-before-caching', integer(), 'Distance of the pivot.'],
    ['--Xsnapsync-synchronizer-pivot-block-window-validity', integer(), 'Validity of the pivot.'],
    ['--era1-import-prepipeline-enabled', boolean, 'Import archive files first.'],
    ['--era1-data-uri', text, 'Where the archive files are.'],
    ['--era1-import-prepipeline-concurrency', integer(), 'Parallel imports of archive files.'],
  ]),
  ...inertOptions('Ethstats', 'Cairn does not report to ethstats; scrape its metrics instead.', [
    ['--ethstats', text, 'Server to report to.'],
    ['--ethstats-contact', text, 'Contact shown there.'],
    ['--ethstats-cacert-file', path, 'Certificate of that server.'],
    ['--ethstats-report-interval', integer(), 'Seconds between reports.'],
  ]),
  ...inertOptions('Block building', 'Cairn follows the limits of the fork and of blobSchedule.', [
    ['--max-blobs-per-transaction', integer(), 'Most blobs per transaction.'],
    ['--max-blobs-per-block', integer(), 'Most blobs per block.'],
  ]),
  ...inertOptions('Block building', 'Validators and the development network produce blocks without it.', [
    ['--miner-enabled', boolean, 'Produce blocks; an option of earlier Besu versions.'],
  ]),
  ...inertOptions('Block building', OWN_BUILDING, [
    ['--Xpos-block-creation-max-time', integer(), 'Milliseconds for building a block.'],
    ['--Xpos-block-creation-repetition-min-duration', integer(), 'Milliseconds between attempts.'],
    ['--Xpos-block-finalization-timeout-ms', integer(), 'Milliseconds for finishing a block.'],
    ['--Xpos-slot-duration', integer(), 'Seconds per slot.'],
  ]),
]
