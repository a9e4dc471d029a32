import type { Settings } from '#config/settings.ts'
import type { LogOptions } from '#platform/log/log.ts'
import { logOptions } from './options.ts'

/** How every thread of this node logs. */
export function readLogOptions(settings: Settings): Pick<LogOptions, 'level' | 'format' | 'colour'> {
  const format = settings.get(logOptions.loggingFormat)
  const colour = settings.get(logOptions.colorEnabled)
  return {
    level: settings.get(logOptions.logging),
    ...(format !== undefined && { format }),
    ...(colour !== undefined && { colour }),
  }
}
