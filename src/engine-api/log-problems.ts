import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const ENGINE_PROBLEMS = {
  buildFailed: {
    level: 'ERROR',
    message: 'Failed to build a block for the consensus client',
    cause: 'The writer could not build a block on the chosen head; `err` says why.',
    remedy: REPORT_BUG,
  },
} as const satisfies Readonly<Record<string, LogProblem>>
