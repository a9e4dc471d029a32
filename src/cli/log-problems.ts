import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const CLI_PROBLEMS = {
  crashed: {
    level: 'ERROR',
    message: 'Cairn crashed',
    cause: 'An unexpected error ended the process.',
    remedy: REPORT_BUG,
  },
  stopFailed: {
    level: 'ERROR',
    message: 'Service did not stop cleanly',
    cause:
      'The service in `service` threw or took too long while the node stopped. Stored blocks are intact.',
    remedy: 'Nothing, if the next start succeeds. Otherwise report the line with its stack.',
  },
} as const satisfies Record<string, LogProblem>
