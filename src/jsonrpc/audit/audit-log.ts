/**
 * The only writer of the audit log, on main. A call that changes something takes a turn here first and is recorded
 * durably before it is answered. If the log cannot be written, such calls are refused, and the chain continues.
 */
import { FairQueue } from '#jsonrpc/limits/fair-queue.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import { appendDurably, readTail } from '#platform/files/durable-lines.ts'
import type { Log } from '#platform/log/log.ts'
import type { CounterRow, GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { AuditEntry, AuditOutcome, ChangeSubject } from './audit-entry.ts'
import {
  type AuditTail,
  type ChainEnd,
  formatAuditLine,
  MAX_LINE_BYTES,
  NO_LINES,
  parseAuditLine,
  sha256Of,
  type UnreadableEnd,
} from './audit-line.ts'

export const AUDIT_LINES: CounterRow = {
  kind: 'counter',
  category: 'rpc',
  name: 'audit_lines',
  help: 'Entries written to the audit log',
}

export const AUDIT_UNWRITTEN: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'audit_unwritten_lines',
  help: 'Audit log entries waiting for a writable log',
}

export type AuditTurn =
  /** There is no audit log. */
  | { readonly kind: 'off' }
  | { readonly kind: 'turn'; readonly turn: number }
  /** `busy`: too many calls wait. `unavailable`: the log cannot be written. */
  | { readonly kind: 'refused'; readonly reason: 'busy' | 'unavailable' }

export interface AuditLogParts {
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

interface OpenTurn {
  readonly entry: AuditEntry
  readonly release: () => void
  readonly lease: Timer
}

/** The calls of one subject. Callers take turns, so a caller that sends many delays its own calls most. */
interface SubjectLine {
  isTaken: boolean
  readonly waiting: FairQueue<() => void>
}

interface Unwritten {
  readonly content: AuditEntry & AuditOutcome
  readonly timeMs: number
}

/** Longer than any call may take. */
const LEASE_MS = 180_000
/** Maximum calls that wait for others of the same subject, in total and per caller. */
const MAX_WAITING = 64
const MAX_WAITING_OF_ONE = 16
/** Shorter than the deadline of `audit.begin`: a server that gave up must not get a turn. */
const MAX_WAIT_MS = 190_000
const RETRY_MS = 10_000

export class AuditLog {
  readonly #parts: AuditLogParts
  readonly #subjects = new Map<ChangeSubject, SubjectLine>()
  readonly #open = new Map<number, OpenTurn>()
  readonly #unwritten: Unwritten[] = []
  readonly #lines: { inc(): void }
  #turns = 0
  /** Undefined until the file has been read, and again after a failure. */
  #end: ChainEnd | undefined
  /** The hash of a line that may or may not have been written. */
  #attempted: string | undefined
  #writing: Promise<boolean> = Promise.resolve(true)
  #reading: Promise<AuditTail> | undefined
  #isFailing = false
  #retry: Timer | undefined

  constructor(parts: AuditLogParts) {
    this.#parts = parts
    this.#lines = parts.metrics.counter(AUDIT_LINES)
    parts.metrics.gaugeOf(AUDIT_UNWRITTEN, () => this.#unwritten.length)
  }

  /** Logs where the hash chain ends, for operators who keep node logs elsewhere. The first call creates the file. */
  async start(): Promise<void> {
    const { path, log } = this.#parts
    try {
      const { end, unreadable } = await readAuditEnd(path)
      if (unreadable !== undefined) await this.#flush()
      if (end.line > 0) log.info('Continuing audit log', { path, line: end.line, head: end.hash })
    } catch (error) {
      this.#fail(error)
    }
  }

  async stop(): Promise<void> {
    this.#retry?.cancel()
    for (const turn of [...this.#open.keys()]) await this.#abandon(turn)
    if (this.#unwritten.length === 0) return
    if (await this.#flush()) return
    const { path, log } = this.#parts
    for (const { content, timeMs } of this.#unwritten) {
      log.error(JSONRPC_PROBLEMS.auditLineLost, { path, timeMs, ...content })
    }
  }

  /** Resolves when the subject is free and it is the turn of `owner`, the caller. */
  async begin(subject: ChangeSubject, entry: AuditEntry, owner: string): Promise<AuditTurn> {
    const line = this.#subjects.get(subject) ?? { isTaken: false, waiting: new FairQueue() }
    this.#subjects.set(subject, line)
    if (line.isTaken && !(await this.#waitIn(line, owner))) return { kind: 'refused', reason: 'busy' }
    line.isTaken = true
    const release = (): void => {
      const next = line.waiting.take(() => true)
      if (next === undefined) line.isTaken = false
      else next.item()
    }
    if (!(await this.#flush())) {
      release()
      return { kind: 'refused', reason: 'unavailable' }
    }
    const turn = ++this.#turns
    const lease = this.#parts.clock.after(LEASE_MS, () => void this.#abandon(turn), { unref: true })
    this.#open.set(turn, { entry, release, lease })
    return { kind: 'turn', turn }
  }

  /** Resolves with false if too many calls wait, or if it takes too long. */
  async #waitIn({ waiting }: SubjectLine, owner: string): Promise<boolean> {
    if (waiting.size >= MAX_WAITING || waiting.sizeOf(owner) >= MAX_WAITING_OF_ONE) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const giveUp = waiting.push(owner, () => resolve(true))
    const patience = this.#parts.clock.after(
      MAX_WAIT_MS,
      () => {
        giveUp()
        resolve(false)
      },
      { unref: true },
    )
    const hasTurn = await promise
    patience.cancel()
    return hasTurn
  }

  /** Resolves when the line is durable, or writing it has failed. */
  async end(turn: number, outcome: AuditOutcome): Promise<void> {
    const open = this.#open.get(turn)
    if (open === undefined) return
    this.#open.delete(turn)
    open.lease.cancel()
    this.#unwritten.push({ content: { ...open.entry, ...outcome }, timeMs: this.#parts.clock.wallMs() })
    await this.#flush()
    open.release()
  }

  /** Takes no turn, because it only reads. Callers that ask at the same time share one read. */
  tail(): Promise<AuditTail> {
    this.#reading ??= readTail(this.#parts.path, MAX_LINE_BYTES)
      .then((tail) => tail ?? { bytes: new Uint8Array(0), isWhole: true })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  async #abandon(turn: number): Promise<void> {
    await this.end(turn, { outcome: 'unknown' })
  }

  /** Serialised. Resolves with false if lines remain unwritten. */
  #flush(): Promise<boolean> {
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async #writeAll(): Promise<boolean> {
    const { path } = this.#parts
    try {
      if (this.#end === undefined) this.#end = await this.#readEnd()
      for (let next = this.#unwritten[0]; next !== undefined; next = this.#unwritten[0]) {
        const { text, end } = formatAuditLine(next.content, next.timeMs, this.#end)
        this.#attempted = end.hash
        await this.#append(text, end, false)
        this.#attempted = undefined
        this.#unwritten.shift()
      }
    } catch (error) {
      this.#end = undefined
      this.#fail(error)
      return false
    }
    if (this.#isFailing) this.#parts.log.info('Audit log is writable again', { path })
    this.#isFailing = false
    return true
  }

  async #append(text: string, end: ChainEnd, isBehindFragment: boolean): Promise<void> {
    await appendDurably(this.#parts.path, Buffer.from(`${isBehindFragment ? '\n' : ''}${text}\n`))
    this.#end = end
    this.#lines.inc()
  }

  /** Bytes left after the last complete line, by a crash or an editor, are kept; a new line reports them. */
  async #readEnd(): Promise<ChainEnd> {
    const { path, clock, log } = this.#parts
    const { end, unreadable, lacksLineEnd } = await readAuditEnd(path)
    // It was written although the disk reported an error.
    if (this.#attempted === end.hash) this.#unwritten.shift()
    this.#attempted = undefined
    if (unreadable === undefined) {
      // Also without bytes to append: the file must be writable before anything changes.
      await appendDurably(path, Buffer.from(lacksLineEnd ? '\n' : ''))
      return end
    }
    const { text, end: found } = formatAuditLine({ unreadable }, clock.wallMs(), end)
    await this.#append(text, found, !unreadable.isEnded)
    const { bytes, isEnded } = unreadable
    log.warn(JSONRPC_PROBLEMS.auditFragment, { path, bytes, isEnded, recordedInLine: found.line })
    return found
  }

  #fail(error: unknown): void {
    const { path, clock, log } = this.#parts
    const reason = error instanceof Error ? error.message : String(error)
    if (!this.#isFailing) {
      log.error(JSONRPC_PROBLEMS.auditUnavailable, { path, reason, unwritten: this.#unwritten.length })
    }
    this.#isFailing = true
    this.#retry?.cancel()
    this.#retry = clock.after(RETRY_MS, () => void this.#flush(), { unref: true })
  }
}

const NEW_LINE = 0x0a
/** Enough for the last complete line and the remains of two others. */
const TAIL_BYTES = 3 * MAX_LINE_BYTES

interface FoundEnd {
  readonly end: ChainEnd
  readonly unreadable: UnreadableEnd | undefined
  /** The last line lacks only its line end. */
  readonly lacksLineEnd: boolean
}

/** Trusts nothing: earlier lines may be anything, and the last one is verified alone. */
async function readAuditEnd(path: string): Promise<FoundEnd> {
  const tail = await readTail(path, TAIL_BYTES)
  if (tail === undefined || tail.bytes.length === 0) {
    return { end: NO_LINES, unreadable: undefined, lacksLineEnd: false }
  }
  const { bytes } = tail
  const isEnded = bytes.at(-1) === NEW_LINE
  // Searches backwards for a complete line.
  for (let stop = isEnded ? bytes.length - 1 : bytes.length; stop > 0; ) {
    const start = bytes.lastIndexOf(NEW_LINE, stop - 1) + 1
    const line = parseAuditLine(bytes.subarray(start, stop))
    if (typeof line === 'object') {
      const rest = bytes.subarray(Math.min(stop + 1, bytes.length))
      return {
        end: { line: line.line, hash: line.hash },
        unreadable: rest.length === 0 ? undefined : describeEnd(rest, isEnded),
        lacksLineEnd: rest.length === 0 && !isEnded,
      }
    }
    stop = start - 1
  }
  return { end: NO_LINES, unreadable: describeEnd(bytes, isEnded), lacksLineEnd: false }
}

/** A line end that is added to separate the next line does not count. */
function describeEnd(bytes: Uint8Array, isEnded: boolean): UnreadableEnd {
  const content = isEnded ? bytes.subarray(0, -1) : bytes
  return { bytes: content.length, sha256: sha256Of(content), isEnded }
}
