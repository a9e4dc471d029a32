import { array, literal, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { LogLevel } from '#rpc/schema/log-level.ts'

/** Every thread compares them with the loggers that have levels of their own. */
const NAMES_MAX = 100
const NAME_MAX_CHARACTERS = 128

const LoggerNames = new Param(
  array(string().max(NAME_MAX_CHARACTERS)).max(NAMES_MAX),
  'INVALID_LOG_FILTER_PARAMS',
)

export default defineMethod({
  name: 'admin_changeLogLevel',
  summary: 'Changes the log level of all loggers, or of the named ones and those beneath them.',
  needs: ['log'],
  params: { level: LogLevel, loggers: LoggerNames.optional() },
  changes: { what: 'log levels', observe: ({ log }) => log.levels() },
  result: literal('Success'),
  run: async ({ log }, { level, loggers }) => {
    // An empty list names no logger, and so changes none.
    if (loggers?.length === 0) return 'Success'
    const verdict = await log.setLevel(level, loggers)
    if (verdict === 'tooMany') {
      throw rpcFault('LIMIT_EXCEEDED', {
        reason: 'too many loggers have levels of their own; set one for all first',
      })
    }
    return 'Success' as const
  },
})
