import type { LogProblem } from '#platform/log/log-problem.ts'

export const NODE_PROBLEMS = {
  configuration: {
    level: 'WARN',
    message: 'Configuration warning',
    cause:
      'An option, a file or a combination of options has no effect or not the expected one; `reason` says which.',
    remedy:
      'Change what `reason` names, or ignore the line if it is intended. `cairn doctor` lists all of them.',
  },
} as const satisfies Record<string, LogProblem>
