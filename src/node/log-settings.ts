import type { Settings } from '#config/settings.ts'
import type { LogOptions } from '#platform/log/log.ts'
import type { Reporting } from '#platform/thread/thread-data.ts'
import { metricsOptions } from '#serve/metrics-options.ts'
import { logOptions } from './options.ts'

export function readReporting(settings: Settings): Reporting {
  return { log: readLogOptions(settings), metricsPrefix: settings.get(metricsOptions.prefix) }
}

/** The log settings of all threads of this node. */
export function readLogOptions(settings: Settings): Pick<LogOptions, 'level' | 'format' | 'colour'> {
  const format = settings.get(logOptions.loggingFormat)
  const colour = settings.get(logOptions.colorEnabled)
  return {
    level: settings.get(logOptions.logging),
    ...(format !== undefined && { format }),
    ...(colour !== undefined && { colour }),
  }
}
