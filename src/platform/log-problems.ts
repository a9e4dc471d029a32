import { type LogProblem, REPORT_BUG } from './log/log-problem.ts'

export const PLATFORM_PROBLEMS = {
  listenerFailed: {
    level: 'ERROR',
    message: 'Event listener failed',
    cause: 'Code that follows an event threw; other listeners and the event itself are unaffected.',
    remedy: REPORT_BUG,
  },
  channelFailed: {
    level: 'ERROR',
    message: 'Thread channel failed',
    cause: 'A message between two threads of the node could not be sent, read or handled.',
    remedy: `If a thread ended just before, that line names the cause. Otherwise: ${REPORT_BUG}`,
  },
  threadReplaced: {
    level: 'ERROR',
    message: 'Thread ended unexpectedly; starting a replacement',
    cause: 'A thread threw or ran out of memory.',
    remedy:
      'Read `err`. If memory ran out, raise the memory limit of the node or lower its load. Otherwise report the line.',
  },
  threadOverMemory: {
    level: 'ERROR',
    message: 'Thread exceeded its memory limit; terminated',
    cause: 'The heap of one thread grew beyond its limit, usually because of very large requests.',
    remedy:
      'Nothing, if it is rare: the thread is replaced. If it repeats, lower the RPC limits or add memory.',
  },
} as const satisfies Record<string, LogProblem>
