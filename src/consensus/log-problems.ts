import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const CONSENSUS_PROBLEMS = {
  stalled: {
    level: 'WARN',
    message: 'Chain stalled',
    cause: 'No block for longer than three rounds. `cause` says why; `bft_status` returns the same.',
    remedy: 'Do what `cause` says. Most often validators are down or unreachable: it names them.',
  },
  equivocation: {
    level: 'WARN',
    message: 'Validator equivocated',
    cause:
      'The validator in `author` signed two different messages in one round: two nodes run with its key.',
    remedy: 'Stop both nodes of that validator, decide which one is right, and start only that one.',
  },
  abstaining: {
    level: 'WARN',
    message: 'Node abstains from voting',
    cause:
      'This validator may have signed more than it remembers, because its file `votes` was lost or its data was restored or rewound.',
    remedy:
      'Wait until the other validators have produced blocks; it votes again by itself. If they cannot without it, follow `sentence`.',
  },
  workFailed: {
    level: 'ERROR',
    message: 'Consensus task failed',
    cause:
      'The node could not build, execute, sign or store for the current block; `what` and `sentence` say which.',
    remedy:
      'Fix what `sentence` names: disk, memory, signer or a plugin. The node tries again in the next round.',
  },
  validatorsUnknown: {
    level: 'ERROR',
    message: 'Cannot read the validators of the next block',
    cause: 'The validator contract reverted or returned malformed data.',
    remedy: 'Call `getValidators()` on the contract that the genesis file names and correct it.',
  },
  clockJumped: {
    level: 'WARN',
    message: 'System clock was set',
    cause:
      'The wall clock moved by `byMs` at once. Blocks carry its time, and other nodes refuse blocks from the future.',
    remedy: 'Keep the clock synchronised with NTP, slewing instead of stepping.',
  },
  devBlockFailed: {
    level: 'ERROR',
    message: 'Failed to produce a development block; retrying',
    cause: 'The block could not be built or stored.',
    remedy: `Check the free disk space. Otherwise: ${REPORT_BUG}`,
  },
} as const satisfies Record<string, LogProblem>
