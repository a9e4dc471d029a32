import { array, literal, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { LogLevel } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

/** Every thread compares them with its loggers. */
const NAMES_MAX = 100
const NAME_MAX_CHARACTERS = 128

const LoggerNames = new Param(
  array(string().max(NAME_MAX_CHARACTERS)).max(NAMES_MAX),
  'INVALID_LOG_FILTER_PARAMS',
)

export default defineMethod({
  name: 'admin_changeLogLevel',
  summary: 'Changes the log level of all loggers, or of the named ones and their children.',
  needs: ['log'],
  params: { level: LogLevel, loggers: LoggerNames.optional() },
  changes: { what: 'log levels', observe: ({ log }) => log.levels() },
  result: literal('Success'),
  run: async ({ log }, { level, loggers }) => {
    // An empty list names no logger, so it changes none.
    if (loggers?.length === 0) return 'Success'
    const verdict = await log.setLevel(level, loggers)
    if (verdict === 'tooMany') {
      throw rpcFault('LIMIT_EXCEEDED', {
        reason: 'too many loggers have their own level; set a level for all of them first',
      })
    }
    return 'Success' as const
  },
})
