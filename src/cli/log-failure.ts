import type { Settings } from '#config/settings.ts'
import { readLogOptions } from '#node/log-settings.ts'
import { logOptions } from '#node/options.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import { exitOf, LoggedFailure } from './exit.ts'

/** Where the log is JSON, a failure becomes a line of it, so that whoever collects the log reads one format. */
export function logFailure(error: unknown, log: RootLog): unknown {
  const say = log.child('cairn')
  if (log.format !== 'JSON' || !say.isEnabled('ERROR')) return error
  if (error instanceof Fault) say.error(error.message)
  else say.error('This is a bug in cairn. Please report it with this line.', { err: error })
  return new LoggedFailure(exitOf(error).code, error)
}

/** A command speaks to a person, and fails in JSON only where somebody asked for that format. */
export function logFailureIfAsked(error: unknown, root: () => Settings): unknown {
  const settings = settingsOrNone(root)
  if (settings === undefined || !settings.isGiven(logOptions.loggingFormat)) return error
  return logFailure(error, createLog(readLogOptions(settings)))
}

/** Wrong ones may be what the command failed for. */
function settingsOrNone(root: () => Settings): Settings | undefined {
  try {
    return root()
  } catch {
    return undefined
  }
}
