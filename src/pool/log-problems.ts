import type { LogProblem } from '#platform/log/log-problem.ts'

export const POOL_PROBLEMS = {
  notSaved: {
    level: 'ERROR',
    message: 'Pool is not saved; a restart would lose it',
    cause: 'The pool file cannot be opened or written; `reason` names the error.',
    remedy: 'Free disk space or fix the path in `--tx-pool-save-file`. The node retries every 10 s.',
  },
  notAPoolFile: {
    level: 'ERROR',
    message: 'Pool file holds something else; the pool is not saved',
    cause: 'The file in `path` exists and was not written by Cairn.',
    remedy: 'Move the file away, or name another one with `--tx-pool-save-file`.',
  },
  linesDamaged: {
    level: 'WARN',
    message: 'Dropped damaged lines of the pool file',
    cause: 'A power cut or a full disk cut lines short, or someone edited the file.',
    remedy:
      'Send the missing transactions again. `txpool_explain` shows whether a transaction is in the pool.',
  },
  restoreTimedOut: {
    level: 'WARN',
    message: 'Pool restore timed out; dropped the rest of the file',
    cause: 'The pool file was too long to restore within the time a start may take.',
    remedy: 'Send the missing transactions again.',
  },
  permissionUnknown: {
    level: 'WARN',
    message: 'Permission check failed; transaction rejected',
    cause: 'The permission plugin did not answer in time, or threw.',
    remedy:
      'Check the plugin that decides about transactions; `err` names it. Then send the transaction again.',
  },
} as const satisfies Record<string, LogProblem>
