import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const SERVE_PROBLEMS = {
  connectionOverLimit: {
    level: 'WARN',
    message: 'Closed a connection over the limit',
    cause: 'All connections that the endpoint allows are in use.',
    remedy:
      'Raise `--rpc-http-max-active-connections` or `--rpc-ws-max-active-connections`, or make clients reuse connections.',
  },
  connectionNotAccepted: {
    level: 'WARN',
    message: 'Failed to accept a connection',
    cause: 'The system refused a new socket, usually because the limit of open files is reached.',
    remedy: 'Raise the limit of open files (`LimitNOFILE`, `ulimit -n`).',
  },
  strangerRefused: {
    level: 'WARN',
    message: 'Refused a TLS client without a known certificate',
    cause:
      'The certificate is missing, expired, not signed by a trusted authority, or not in the known-clients file.',
    remedy: 'Add the fingerprint to the known-clients file if the client is yours.',
  },
  tlsFilesUnusable: {
    level: 'WARN',
    message: 'TLS files changed but are unusable; keeping the previous certificate',
    cause: 'A file is incomplete, or the key and the certificate do not belong together.',
    remedy: 'Write both files again. The node reads them within seconds.',
  },
  metricsFailed: {
    level: 'ERROR',
    message: 'Failed to collect metrics',
    cause: 'A gauge threw, and Prometheus received status 500.',
    remedy: REPORT_BUG,
  },
  threadMetricsMissing: {
    level: 'WARN',
    message: 'Failed to collect the metrics of a thread',
    cause: 'The thread in `source` was busy, starting or stopping; its metrics are missing in this sample.',
    remedy: 'Nothing, if it is rare. If it repeats, the thread is overloaded.',
  },
} as const satisfies Record<string, LogProblem>
