import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const API_PROBLEMS = {
  blockNotificationFailed: {
    level: 'ERROR',
    message: 'Failed to notify subscribers of a block',
    cause: 'The block or its logs could not be read or encoded.',
    remedy: REPORT_BUG,
  },
  logReplayFailed: {
    level: 'ERROR',
    message: 'Failed to replay past logs to a subscriber',
    cause: 'A block in the requested range could not be read.',
    remedy: `Run \`cairn db check\`. If the database is intact: ${REPORT_BUG}`,
  },
  pendingNewsDropped: {
    level: 'WARN',
    message: 'Skipped pool events for subscribers',
    cause: 'Transactions arrived faster than a server thread could publish them.',
    remedy: 'Add server threads with `--rpc-threads`, or subscribe to hashes only.',
  },
  pendingNewsEnded: {
    level: 'ERROR',
    message: 'Pool event stream closed',
    cause: 'The pool stopped sending events to a server thread; pending subscriptions are silent.',
    remedy: `Restart the node. ${REPORT_BUG}`,
  },
  portBusy: {
    level: 'WARN',
    message: 'Default port is busy; the system chose another one',
    cause: 'Another program listens on the default port of WebSocket or the console of a development chain.',
    remedy: 'Use the port that the start reports, or choose one with `--rpc-ws-port` or `--console-port`.',
  },
  serverThreadsReduced: {
    level: 'WARN',
    message: 'Using fewer RPC server threads than configured',
    cause: 'This system cannot share a port between threads.',
    remedy: 'Set `--rpc-threads=1`, or run the node on Linux.',
  },
} as const satisfies Record<string, LogProblem>
