import type { Settings } from '#config/settings.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { logOptions } from '#node/options.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import { exitOf, LoggedFailure } from './exit.ts'
import { CLI_PROBLEMS } from './log-problems.ts'

/** If the log is JSON, a failure becomes a line of it, so log collectors read one format. */
export function logFailure(error: unknown, log: RootLog): unknown {
  const say = log.child('cairn')
  if (log.format !== 'JSON' || !say.isEnabled('ERROR')) return error
  if (error instanceof Fault) say.relay('ERROR', error.message)
  else say.error(CLI_PROBLEMS.crashed, { err: error })
  return new LoggedFailure(exitOf(error).code, error)
}

/** A command talks to a person, so it fails in JSON only if that format was requested. */
export function logFailureIfAsked(error: unknown, root: () => Settings): unknown {
  const settings = settingsOrNone(root)
  if (settings === undefined || !settings.isGiven(logOptions.loggingFormat)) return error
  return logFailure(error, createLog(readLogOptions(settings)))
}

/** Invalid settings may be the reason for the failure. */
function settingsOrNone(root: () => Settings): Settings | undefined {
  try {
    return root()
  } catch {
    return undefined
  }
}
