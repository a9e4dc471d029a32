/** A plugin's log: under its name, and rate-limited. */
import type { Clock } from '#platform/clock.ts'
import type { Log, LogFields } from '#platform/log/log.ts'
import type { PluginLog } from '#plugins/define-plugin.ts'
import { PLUGINS_PROBLEMS } from '#plugins/log-problems.ts'

const LINES_PER_SECOND = 50
const MOST_AT_ONCE = 200
const MAX_CHARACTERS = 4_000

type Level = 'error' | 'warn' | 'info' | 'debug'

const LEVELS = { error: 'ERROR', warn: 'WARN', info: 'INFO', debug: 'DEBUG' } as const

export function createGuestLog(log: Log, clock: Clock): PluginLog {
  let left = MOST_AT_ONCE
  let lastMs = clock.monotonicMs()
  let dropped = 0
  const write = (level: Level, message: unknown, fields: unknown): void => {
    const nowMs = clock.monotonicMs()
    left = Math.min(MOST_AT_ONCE, left + ((nowMs - lastMs) * LINES_PER_SECOND) / 1_000)
    lastMs = nowMs
    if (left < 1) {
      dropped++
      return
    }
    left--
    if (dropped > 0) {
      log.warn(PLUGINS_PROBLEMS.linesDropped, { dropped })
      dropped = 0
    }
    const given = typeof fields === 'object' && fields !== null ? (fields as LogFields) : undefined
    log.relay(LEVELS[level], String(message).slice(0, MAX_CHARACTERS), given)
  }
  const at = (level: Level) => (message: unknown, fields?: unknown) => write(level, message, fields)
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

/** Redirects the console to the plugin's log, because standard output belongs to the node. */
export function printTo(log: PluginLog): void {
  const text = (values: readonly unknown[]): string =>
    values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ')
  const at =
    (level: Level) =>
    (...values: unknown[]) =>
      log[level](text(values))
  Object.assign(globalThis.console, {
    log: at('info'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    debug: at('debug'),
    trace: at('debug'),
  })
}

function inspect(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
