import type { LogProblem } from '#platform/log/log-problem.ts'

export const STORE_PROBLEMS = {
  trieFlushSkipped: {
    level: 'WARN',
    message: 'Trie flush skipped; it runs at the next start',
    cause: 'The disk has no room for it. No data is lost; the next start takes longer.',
    remedy: 'Free disk space.',
  },
  pruningFailed: {
    level: 'ERROR',
    message: 'Failed to prune old states',
    cause: 'The database could not be written, usually because the disk is full; `err` names the error.',
    remedy: 'Free disk space. Pruning continues with the next blocks.',
  },
} as const satisfies Record<string, LogProblem>
