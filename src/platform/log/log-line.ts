import type { LineLevel } from './log-level.ts'
import type { LogError, LogValue } from './log-value.ts'

export interface LogRecord {
  readonly wallMs: number
  readonly thread: string
  readonly level: LineLevel
  readonly name: string
  readonly message: string
  readonly fields: { readonly [key: string]: LogValue } | undefined
  readonly err: LogError | undefined
}

const LEVEL_WIDTH = 5
const RESET = '\u001b[0m'
const COLOURS: Readonly<Record<LineLevel, string>> = {
  ERROR: '\u001b[31m',
  WARN: '\u001b[33m',
  INFO: '\u001b[32m',
  DEBUG: '\u001b[36m',
  TRACE: '\u001b[35m',
}

/** Control and format characters (including bidirectional overrides) and Unicode line ends. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Besu's line: `2026-08-21 10:15:30.123+0000 | main | INFO | Name | message`, with fields as key=value after the message
 * and stacks indented below, so text from outside cannot pass for a line of its own.
 */
export function formatPlainLine(record: LogRecord, colour: boolean): string {
  const level = record.level.padEnd(LEVEL_WIDTH)
  const shownLevel = colour ? `${COLOURS[record.level]}${level}${RESET}` : level
  const head = `${formatTime(record.wallMs)} | ${record.thread} | ${shownLevel} | ${record.name} | `
  return `${head}${escapeText(record.message)}${formatFields(record.fields)}\n${formatError(record.err)}`
}

/** Escapes characters that would move the cursor or start a new line. */
export function escapeText(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES[character]
  return short ?? `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/** Formats in UTC, so lines of machines in different places can be compared. */
function formatTime(wallMs: number): string {
  const iso = new Date(wallMs).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}+0000`
}

function formatFields(fields: LogRecord['fields']): string {
  if (fields === undefined) return ''
  let text = ''
  for (const [key, value] of Object.entries(fields)) {
    const shown = typeof value === 'string' ? formatString(value) : JSON.stringify(value)
    text += ` ${escapeText(key)}=${escapeText(shown)}`
  }
  return text
}

/** Quotes the value only if its end would otherwise be unclear. */
function formatString(value: string): string {
  return /^[^\s"=|]+$/.test(value) ? value : JSON.stringify(value)
}

function formatError(err: LogError | undefined): string {
  if (err === undefined) return ''
  const lines = err.stack.split('\n').map((line) => `\t${escapeText(line.trim())}\n`)
  const { cause } = err
  if (cause === undefined) return lines.join('')
  if (isLogError(cause)) return `${lines.join('')}\tCaused by:\n${formatError(cause)}`
  return `${lines.join('')}\tCaused by: ${escapeText(JSON.stringify(cause))}\n`
}

function isLogError(value: LogValue): value is LogError {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
}
