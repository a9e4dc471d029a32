import type { LogProblem } from '#platform/log/log-problem.ts'

export const PLUGINS_PROBLEMS = {
  leftOut: {
    level: 'WARN',
    message: 'Plugin left out; starting without it',
    cause:
      'It could not be loaded, registered or started; `reason` says why. `--plugin-continue-on-error` is set.',
    remedy: 'Fix the plugin and restart the node.',
  },
  stopFailed: {
    level: 'WARN',
    message: 'Plugin did not stop cleanly',
    cause: 'Its stop hook threw or took too long.',
    remedy: 'Fix the stop hook of the plugin.',
  },
  noAnswer: {
    level: 'WARN',
    message: 'Plugin timed out or failed; applying onFailure',
    cause: 'The hook in `hook` threw, took too long, or the plugin is down; `reason` says which.',
    remedy: 'Fix or speed up the hook. The declared `onFailure` decides meanwhile.',
  },
  ended: {
    level: 'ERROR',
    message: 'Plugin ended; restarting it',
    cause: '`cause` says why: it threw (`died`), hung, or used too much memory.',
    remedy: 'Fix the plugin; `err` has its stack.',
  },
  restartFailed: {
    level: 'WARN',
    message: 'Plugin restart failed; retrying',
    cause: 'It threw while it was registered or started again; `reason` says why.',
    remedy: 'Fix the plugin. If its declaration changed, restart the node.',
  },
  linesDropped: {
    level: 'WARN',
    message: 'Dropped log lines of a plugin',
    cause: 'The plugin logged more than 50 lines a second.',
    remedy: 'Make the plugin log less.',
  },
  storageCut: {
    level: 'WARN',
    message: 'Plugin storage ended with an incomplete entry; truncated',
    cause: 'A power cut or a full disk cut the last write short. Events since then are delivered again.',
    remedy: 'Nothing, if the plugin tolerates repeated events, as it must.',
  },
  methodFailed: {
    level: 'WARN',
    message: 'Plugin method failed',
    cause:
      'The method in `method` threw an error without a `code`. The client got its message with code -32000.',
    remedy:
      'Fix the method; `err` has its stack. Errors meant for clients have a `code`, and are not logged.',
  },
  listenerFailed: {
    level: 'WARN',
    message: 'Plugin listener failed',
    cause: 'The listener in `hook` threw. The next event is delivered as usual.',
    remedy: 'Fix the listener; `err` has its stack.',
  },
  feedFailed: {
    level: 'WARN',
    message: 'Plugin feed failed; retrying',
    cause: 'The handler of the feed in `feed` threw, or its blocks could not be read.',
    remedy: 'Fix the handler; `err` has its stack. No event is skipped.',
  },
} as const satisfies Record<string, LogProblem>
