import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const CONSOLE_PROBLEMS = {
  pagesMissing: {
    level: 'ERROR',
    message: 'Failed to load the console pages',
    cause:
      'The files of the package are incomplete, or the checkout has no installed development dependencies.',
    remedy: `Install the package again; in a checkout, run \`npm install\`. ${REPORT_BUG}`,
  },
} satisfies Record<string, LogProblem>
