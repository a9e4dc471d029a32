import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const JSONRPC_PROBLEMS = {
  auditLineLost: {
    level: 'ERROR',
    message: 'Lost an audit log entry',
    cause: 'The node stopped while the audit log could not be written. The fields hold the entry.',
    remedy: 'Copy the entry from this line, and check why the file was not writable.',
  },
  auditFragment: {
    level: 'WARN',
    message: 'Audit log ended with unreadable bytes; kept and recorded',
    cause:
      'A power cut or a full disk cut the last line short (`isEnded` is false), or someone edited the file (`isEnded` is true).',
    remedy: 'Run `cairn audit verify`. Treat an unexplained edit as tampering.',
  },
  auditUnavailable: {
    level: 'ERROR',
    message: 'Audit log is not writable; refusing calls that change something',
    cause: 'The file or its disk cannot be written; `reason` names the error. The chain continues.',
    remedy: 'Free disk space or fix the path in `--audit-log-file`. The node retries by itself.',
  },
  passwordNotVerified: {
    level: 'WARN',
    message: 'Failed to verify a password; login refused',
    cause: 'The password thread was busy, restarting or stopping.',
    remedy: 'Log in again. If it repeats, someone may be flooding `/login`: restrict access to the port.',
  },
  passwordThreadEnded: {
    level: 'ERROR',
    message: 'Password thread ended unexpectedly',
    cause: 'The thread that verifies passwords threw or ran out of memory. It restarts at the next login.',
    remedy: REPORT_BUG,
  },
  credentialsUnusable: {
    level: 'WARN',
    message: 'Credentials file is unusable; all logins fail',
    cause: 'The file is missing, unreadable or malformed; `reason` names the line.',
    remedy: 'Correct the file. The next login reads it again.',
  },
  loginNotCounted: {
    level: 'WARN',
    message: 'Failed to count a login; refused',
    cause: 'The main thread was too busy to check the login limit.',
    remedy: 'Log in again. If it repeats, lower the load of the node.',
  },
  publicKeyUnusable: {
    level: 'WARN',
    message: 'Token issuer key changed but is unusable; keeping the previous key',
    cause: 'The file is missing or is not a public key for the algorithm; `reason` says which.',
    remedy: 'Write a valid PEM public key to the file. The node reads it again within seconds.',
  },
  messageFailed: {
    level: 'ERROR',
    message: 'Failed to answer a message',
    cause: 'The dispatcher threw.',
    remedy: REPORT_BUG,
  },
  methodFailed: {
    level: 'ERROR',
    message: 'Method failed',
    cause:
      'A method threw an unexpected error, and the client received `Internal error`; or it needed a damaged history segment, which `err` names with the remedy.',
    remedy: REPORT_BUG,
  },
  requestTimedOut: {
    level: 'WARN',
    message: 'Request timed out',
    cause:
      'The call ran longer than `--Xhttp-timeout-seconds` or `--Xws-timeout-seconds`, or waited too long for an engine thread.',
    remedy: 'Ask for less at once, add engine threads with `--rpc-engine-threads`, or raise the timeout.',
  },
  answerFailed: {
    level: 'ERROR',
    message: 'Failed to produce an answer',
    cause: 'An answer could not be encoded or sent.',
    remedy: REPORT_BUG,
  },
  loginFailed: {
    level: 'ERROR',
    message: 'Login failed unexpectedly',
    cause: 'The login handler threw.',
    remedy: REPORT_BUG,
  },
  enginesNotStarted: {
    level: 'ERROR',
    message: 'Failed to start engine threads',
    cause: 'A worker thread could not start, usually for lack of memory.',
    remedy: 'Lower `--rpc-engine-threads` or add memory. The next call tries again.',
  },
  callerOverLimit: {
    level: 'WARN',
    message: 'Refused a caller over its limits',
    cause: 'The user or address in the fields exceeded its share of requests or engine time.',
    remedy: 'Raise the limit of that user in `--rpc-user-limits`, or ask the caller to slow down.',
  },
  slowReader: {
    level: 'WARN',
    message: 'Closed a WebSocket connection that does not read',
    cause: 'The client did not read its notifications fast enough, and too many bytes were waiting.',
    remedy: 'Make the client read faster, or subscribe to less.',
  },
} as const satisfies Record<string, LogProblem>
