import { isatty } from 'node:tty'
import { type Logger, pino } from 'pino'
import { type Clock, systemClock } from '#platform/clock.ts'
import { currentThreadName } from '#platform/thread/thread-data.ts'
import { LevelRules, type LineLevel, type LogLevel, logLevelRank } from './log-level.ts'
import { escapeText, formatPlainLine, type LogRecord } from './log-line.ts'
import type { LogProblem } from './log-problem.ts'
import { type LogError, type LogValue, presentError, presentValue } from './log-value.ts'

/** Lines kept while the destination does not accept them (its disk is full). Further lines are dropped. */
const UNWRITTEN_MAX_BYTES = 1024 * 1024

const STDERR = 2

export interface LogFields {
  readonly err?: unknown
  readonly [name: string]: unknown
}

export interface Log {
  error(problem: LogProblem<'ERROR'>, fields?: LogFields): void
  warn(problem: LogProblem<'WARN'>, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  trace(message: string, fields?: LogFields): void
  /** A line whose text comes from outside, such as from a plugin. */
  relay(level: LineLevel, message: string, fields?: LogFields): void
  /** Check this before computing values only for a log line. */
  isEnabled(level: LineLevel): boolean
  /** A logger below this one: `log.child('pool').child('admit')` is named `pool.admit`. */
  child(name: string): Log
}

export interface RootLog extends Log {
  /**
   * Changes the level at run time, for every logger or for the named ones and their children. Returns false if there
   * would be too many rules.
   */
  setLevel(level: LogLevel, names?: readonly string[]): boolean
  /** Levels by logger name; '' is the default. */
  levels(): Readonly<Record<string, LogLevel>>
  readonly format: LogFormat
}

export type LogFormat = 'PLAIN' | 'JSON'

export interface LogOptions {
  readonly level: LogLevel
  /** The open file to write to; default standard error, so results on standard output can be piped. */
  readonly fd?: number
  /** Default: PLAIN on a terminal, JSON otherwise. */
  readonly format?: LogFormat
  /** For PLAIN only. Default: on a terminal, unless NO_COLOR is set. */
  readonly colour?: boolean
  readonly thread?: string
  readonly clock?: Clock
  /** Receives the lines instead of `fd`; for tests. */
  readonly destination?: LogDestination
}

export interface LogDestination {
  write(line: string): void
}

type Sink = (record: LogRecord) => void

/**
 * Creates one log per thread. It writes synchronously, so no line is lost at exit, and each line in one piece (up to 16
 * KiB), so threads that share a file descriptor do not mix their lines.
 */
export function createLog(options: LogOptions): RootLog {
  const { fd = STDERR } = options
  const terminal = options.destination === undefined && isatty(fd)
  const format = options.format ?? (terminal ? 'PLAIN' : 'JSON')
  const colour = options.colour ?? (terminal && !process.env.NO_COLOR)
  const destination = options.destination ?? openDestination(fd)
  const rules = new LevelRules(options.level)
  const core: LogCore = {
    rules,
    clock: options.clock ?? systemClock,
    thread: escapeText(options.thread ?? currentThreadName),
    sink:
      format === 'PLAIN'
        ? (record) => destination.write(formatPlainLine(record, colour))
        : jsonSink(destination),
  }
  return Object.assign(new NamedLog(core, ''), {
    format,
    levels: () => rules.all(),
    setLevel: (level: LogLevel, names?: readonly string[]) =>
      rules.set(level, names === undefined || names.length === 0 ? undefined : names),
  })
}

interface LogCore {
  readonly rules: LevelRules
  readonly clock: Clock
  readonly thread: string
  readonly sink: Sink
}

class NamedLog implements Log {
  readonly #core: LogCore
  readonly #name: string
  #rank = 0
  #rulesVersion = -1

  constructor(core: LogCore, name: string) {
    this.#core = core
    this.#name = name
  }

  error(problem: LogProblem<'ERROR'>, fields?: LogFields): void {
    this.#write('ERROR', problem.message, fields)
  }

  warn(problem: LogProblem<'WARN'>, fields?: LogFields): void {
    this.#write('WARN', problem.message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#write('INFO', message, fields)
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('DEBUG', message, fields)
  }

  trace(message: string, fields?: LogFields): void {
    this.#write('TRACE', message, fields)
  }

  relay(level: LineLevel, message: string, fields?: LogFields): void {
    this.#write(level, message, fields)
  }

  isEnabled(level: LineLevel): boolean {
    const { rules } = this.#core
    if (this.#rulesVersion !== rules.version) {
      this.#rank = logLevelRank(rules.levelOf(this.#name))
      this.#rulesVersion = rules.version
    }
    return logLevelRank(level) <= this.#rank
  }

  child(name: string): Log {
    return new NamedLog(this.#core, this.#name === '' ? name : `${this.#name}.${name}`)
  }

  #write(level: LineLevel, message: string, given: LogFields | undefined): void {
    if (!this.isEnabled(level)) return
    const { clock, thread, sink } = this.#core
    const [fields, err] = given === undefined ? [undefined, undefined] : presentFields(given)
    sink({ wallMs: clock.wallMs(), thread, level, name: this.#name, message: String(message), fields, err })
  }
}

function presentFields(given: LogFields): [LogRecord['fields'], LogError | undefined] {
  const fields: Record<string, LogValue> = {}
  let isEmpty = true
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || key === 'err') continue
    fields[key] = presentValue(value)
    isEmpty = false
  }
  return [isEmpty ? undefined : fields, given.err === undefined ? undefined : presentThrown(given.err)]
}

/** JavaScript can throw anything. A value that is not an Error has no stack, but it has content. */
function presentThrown(thrown: unknown): LogError {
  if (thrown instanceof Error) return presentError(thrown)
  const message = JSON.stringify(presentValue(thrown))
  return { type: 'thrown value', message, stack: message }
}

/** Fields are in their own object, so a field named `level` or `time` cannot overwrite the line's. */
function jsonSink(destination: LogDestination): Sink {
  const options = {
    base: null,
    level: 'trace',
    timestamp: false,
    formatters: { level: (label: string) => ({ level: label.toUpperCase() }) },
    // Errors are already plain data; pino's serializer would treat them as errors again and drop the cause.
    serializers: { err: (err: unknown) => err },
  }
  const logger: Logger = pino(options, destination)
  return ({ wallMs, thread, level, name, message, fields, err }) => {
    const time = new Date(wallMs).toISOString()
    const method = level.toLowerCase() as Lowercase<LineLevel>
    logger[method]({ time, thread, name, ...(fields && { fields }), ...(err && { err }) }, message)
  }
}

function openDestination(fd: number): LogDestination {
  const destination = pino.destination({ fd, sync: true, maxLength: UNWRITTEN_MAX_BYTES })
  // The reader of a pipe may go away (`cairn | head`), or a disk may be full. A validator does not stop for that.
  destination.on('error', () => undefined)
  return destination
}
