import { enum as oneOf } from 'zod'
import { LOG_LEVELS } from '#platform/log/log-level.ts'
import { Param } from '#rpc/param.ts'

export const LogLevel = new Param(oneOf(LOG_LEVELS).meta({ title: 'log level' }), 'INVALID_LOG_LEVEL_PARAMS')
