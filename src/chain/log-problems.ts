import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const CHAIN_PROBLEMS = {
  writerEnded: {
    level: 'ERROR',
    message: 'Writer thread ended unexpectedly; stopping the node',
    cause: 'The thread that executes and stores blocks threw or ran out of memory.',
    remedy:
      'Start the node again: the last block is intact. If memory ran out, raise its limit. Otherwise report the line with its stack.',
  },
  databaseDamaged: {
    level: 'ERROR',
    message: 'Database is damaged; stopping the node',
    cause: 'A stored value fails its checksum or is missing, usually after a fault of the disk.',
    remedy:
      'Check the disk, then restore a backup or sync the node again. `cairn db check` lists the damage.',
  },
  reorg: {
    level: 'WARN',
    message: 'Chain reorganised',
    cause:
      'Another branch became canonical. QBFT and IBFT 2.0 blocks are final, so someone rewound the chain.',
    remedy: 'On a BFT network, check who rewound the node. `--reorg-logging-threshold` sets the depth.',
  },
  validatorsUnknown: {
    level: 'WARN',
    message: 'Validators of the next block are unknown',
    cause: 'The validator contract reverted or returned malformed data.',
    remedy: 'Call `getValidators()` on the contract that the genesis file names and correct it.',
  },
  selectionFailed: {
    level: 'ERROR',
    message: 'Transaction selection failed; building the block without the rest',
    cause: 'The pool or a selection plugin threw while a block was built.',
    remedy: `Check the plugin that \`err\` names. Otherwise: ${REPORT_BUG}`,
  },
  transactionTooSlow: {
    level: 'WARN',
    message: 'Skipped transaction that exceeded the block time',
    cause: 'The transaction alone runs longer than a block may be built.',
    remedy:
      'Raise the block time of the network, or ask the sender to split the work. The pool drops it after repeated timeouts.',
  },
  skippedReportFailed: {
    level: 'ERROR',
    message: 'Failed to report skipped transactions',
    cause:
      'The pool threw while it recorded why transactions were left out of a block. The block is unaffected.',
    remedy: REPORT_BUG,
  },
  historyMoveFailed: {
    level: 'ERROR',
    message: 'Failed to move old blocks to segments',
    cause: 'A file could not be written or a stored block not read; `err` names the error.',
    remedy: 'Check the disk and its free space. The node tries again after ten minutes; no block is lost.',
  },
  archiveFailed: {
    level: 'WARN',
    message: 'History archive failed',
    cause:
      'The archive of `--history-archive` did not answer, refused a request or returned changed bytes, or a segment is damaged; `err` says which. Blocks continue; requests for blocks that are only in the archive fail.',
    remedy:
      'Check the address, the credentials file and the store. The node retries after `retryMs`, at most five minutes.',
  },
  peersLineLost: {
    level: 'WARN',
    message: 'Peers thread cannot reach the writer',
    cause: 'The writer thread was busy or ended while the peers thread connected to it.',
    remedy: 'If blocks of peers are not imported, restart the node.',
  },
} as const satisfies Record<string, LogProblem>
