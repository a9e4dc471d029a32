import { array, literal, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { LogLevel } from '#rpc/schema/log-level.ts'

const LoggerNames = new Param(array(string()), 'INVALID_LOG_FILTER_PARAMS')

export default defineMethod({
  name: 'admin_changeLogLevel',
  summary: 'Changes the log level of all loggers, or of the named ones and those beneath them.',
  needs: ['log'],
  params: { level: LogLevel, loggers: LoggerNames.optional() },
  changes: { what: 'log levels', observe: ({ log }) => log.levels() },
  result: literal('Success'),
  run: async ({ log }, { level, loggers }) => {
    // An empty list names no logger, and so changes none.
    if (loggers?.length !== 0) await log.setLevel(level, loggers)
    return 'Success' as const
  },
})
