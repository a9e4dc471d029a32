import type { LogProblem } from '#platform/log/log-problem.ts'

export const ALLOWLIST_PROBLEMS = {
  saveFailed: {
    level: 'WARN',
    message: 'Allowlist change was not saved and is not in force',
    cause: 'The permissions file could not be read or written; `reason` names the error.',
    remedy: 'Fix the file, its permissions or the disk, then repeat the call.',
  },
  fileOutOfSync: {
    level: 'WARN',
    message: 'Allowlist change is in force but not in the permissions file',
    cause: 'Someone edited the file, so it lacks entries that are in force.',
    remedy: 'Add the entries to the file, then call `perm_reloadPermissionsFromFile`.',
  },
  entriesDropped: {
    level: 'WARN',
    message: 'Removed entries from the permissions file that were never in force',
    cause: 'The file was edited but not reloaded before a method changed the list.',
    remedy: 'To permit the entries in `dropped`, add them with a method, or edit the file and reload it.',
  },
  reloadFailed: {
    level: 'WARN',
    message: 'Permissions reload failed; keeping the lists in force',
    cause: 'The permissions file is missing, unreadable or malformed; `reason` names the line.',
    remedy: 'Correct the file, then call `perm_reloadPermissionsFromFile`.',
  },
  fileReadOnly: {
    level: 'WARN',
    message: 'Permissions file is not writable; methods cannot change the allowlist',
    cause: 'The file or its folder is read-only for the user of the node, as a mounted ConfigMap is.',
    remedy:
      'Nothing, if only the file is to change the list. Otherwise make the file and its folder writable.',
  },
  unknownHosts: {
    level: 'WARN',
    message: 'Nodes allowlist names hosts that DNS does not resolve',
    cause: 'The names in `unknown` have no address, so their nodes are not permitted.',
    remedy: 'Correct the names or the DNS. The node keeps looking them up.',
  },
} as const satisfies Record<string, LogProblem>
