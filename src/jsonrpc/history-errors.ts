import type { ErrorRow } from './error-row.ts'

/** Errors of requests for blocks and states that the node has no more. */
export const HISTORY_ERRORS = {
  PRUNED_HISTORY_UNAVAILABLE: {
    code: 4444,
    message: 'Pruned history unavailable',
    cause:
      'The node has only the header of the block: it started from a state file, or `cairn history prune` removed the rest.',
    remedy: 'Ask a node that has the complete chain ([snapshots](../operate/snapshots.md)).',
  },
  HISTORY_DAMAGED: {
    code: -32603,
    message: 'History segment damaged',
    cause: 'A file with old blocks is missing, or its bytes changed; the reason in parentheses names it.',
    remedy:
      'Copy the file from a backup or another node into `database/segments/`; no restart is needed. `cairn history verify` lists all damaged files.',
  },
  HISTORY_ARCHIVE_UNAVAILABLE: {
    code: -32603,
    message: 'History archive unavailable',
    cause:
      'The contents of the block are in the archive of `--history-archive`, which does not answer, or the node runs without the option.',
    remedy:
      'Retry later, or ask a node with local copies. The operator finds the reason in the log line `History archive failed`.',
  },
  WORLD_STATE_UNAVAILABLE: {
    code: -32000,
    message: 'World state unavailable',
    cause:
      'The node keeps only recent states (BONSAI, `--bonsai-historical-block-limit`), or it has not reached the block.',
    remedy: 'Ask a node with `--data-storage-format=FOREST`, or a more recent block.',
  },
} as const satisfies Readonly<Record<string, ErrorRow>>
