import { LOG_LEVELS } from './log-level.ts'
import { formatPlainLine, type LogRecord } from './log-line.ts'

/** Formats a JSON log line as plain text, without its line end. Any other line is returned unchanged. */
export function plainFromJson(line: string): string {
  const record = readRecord(line)
  return record === undefined ? line : formatPlainLine(record, false).trimEnd()
}

/** Anything may be in the file: a crash message, another program's JSON, half a line. */
function readRecord(line: string): LogRecord | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(parsed)) return undefined
  const { time, thread, level, name, msg, fields, err } = parsed
  const wallMs = typeof time === 'string' ? Date.parse(time) : Number.NaN
  const isLevel = LOG_LEVELS.some((each) => each === level)
  if (Number.isNaN(wallMs) || !isLevel || typeof msg !== 'string') return undefined
  return {
    wallMs,
    thread: String(thread ?? ''),
    level: level as LogRecord['level'],
    name: String(name ?? ''),
    message: msg,
    fields: isObject(fields) ? (fields as LogRecord['fields']) : undefined,
    err: isObject(err) && typeof err.stack === 'string' ? (err as LogRecord['err']) : undefined,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
