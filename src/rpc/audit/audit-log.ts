/**
 * The one writer of the audit log, on main. A call that changes something takes a turn here before it does, and is written
 * down, durably, before it is answered. Where the log cannot be written, calls that would change something are refused, and
 * nothing else stops: the chain goes on.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { FairQueue } from '#rpc/threads/fair-queue.ts'
import { appendAuditLine, formatFoundLine, readAuditEnd, touchAuditFile } from './audit-file.ts'
import { type ChainEnd, formatAuditLine } from './audit-line.ts'
import { AUDIT_LINES, AUDIT_UNWRITTEN } from './audit-metrics.ts'
import type { AuditOutcome, AuditRecord, ChangeSubject } from './audit-record.ts'

export type AuditTurn =
  /** There is no audit log. */
  | { readonly kind: 'off' }
  | { readonly kind: 'turn'; readonly turn: number }
  /** `busy`: too many wait. `unavailable`: the log cannot be written. */
  | { readonly kind: 'refused'; readonly reason: 'busy' | 'unavailable' }

export interface AuditLogParts {
  readonly path: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

interface OpenTurn {
  readonly record: AuditRecord
  readonly release: () => void
  readonly lease: Timer
}

/** The calls of one subject. Callers take turns, so a caller that sends many delays its own calls most. */
interface SubjectLine {
  isTaken: boolean
  readonly waiting: FairQueue<() => void>
}

interface Unwritten {
  readonly content: AuditRecord & AuditOutcome
  readonly timeMs: number
}

/** Longer than any call may take. */
const LEASE_MS = 180_000
/** Calls that wait for others of the same subject. */
const MAX_WAITING = 64
/** The share of one caller. */
const MAX_WAITING_OF_ONE = 16
/** Shorter than the deadline of `audit.begin`: a server that no longer waits must not get a turn. */
const MAX_WAIT_MS = 190_000
/** While a line could not be written. */
const RETRY_MS = 10_000

export class AuditLog {
  readonly #parts: AuditLogParts
  readonly #subjects = new Map<ChangeSubject, SubjectLine>()
  readonly #open = new Map<number, OpenTurn>()
  readonly #unwritten: Unwritten[] = []
  readonly #lines: { inc(): void }
  #turns = 0
  /** undefined: what the disk holds is not known. */
  #end: ChainEnd | undefined
  /** The hash of a line of which nobody knows whether it was written. */
  #attempted: string | undefined
  #writing: Promise<boolean> = Promise.resolve(true)
  #isFailing = false
  #retry: Timer | undefined

  constructor(parts: AuditLogParts) {
    this.#parts = parts
    this.#lines = parts.metrics.counter(AUDIT_LINES)
    parts.metrics.gaugeOf(AUDIT_UNWRITTEN, () => this.#unwritten.length)
  }

  /** Says where the chain ends, for those who keep the logs of the node elsewhere. The file is made by the first call. */
  async start(): Promise<void> {
    const { path, log } = this.#parts
    try {
      const { end, unreadable } = await readAuditEnd(path)
      if (unreadable !== undefined) await this.#flush()
      if (end.line > 0) log.info('The audit log goes on.', { path, line: end.line, head: end.hash })
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
      log.error('A line of the audit log is lost with this process.', { path, timeMs, ...content })
    }
  }

  /** Resolves when the subject is free and it is the turn of `owner`, the caller. */
  async begin(subject: ChangeSubject, record: AuditRecord, owner: string): Promise<AuditTurn> {
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
    this.#open.set(turn, { record, release, lease })
    return { kind: 'turn', turn }
  }

  /** Resolves with false if too many wait, or if it takes too long. */
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

  /** Resolves when the line is durable, or cannot be. */
  async end(turn: number, outcome: AuditOutcome): Promise<void> {
    const open = this.#open.get(turn)
    if (open === undefined) return
    this.#open.delete(turn)
    open.lease.cancel()
    this.#unwritten.push({ content: { ...open.record, ...outcome }, timeMs: this.#parts.clock.wallMs() })
    await this.#flush()
    open.release()
  }

  async #abandon(turn: number): Promise<void> {
    await this.end(turn, { outcome: 'unknown' })
  }

  /** One after another. False: something is unwritten. */
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
    if (this.#isFailing) this.#parts.log.info('The audit log is written again.', { path })
    this.#isFailing = false
    return true
  }

  async #append(text: string, end: ChainEnd, isBehindFragment: boolean): Promise<void> {
    await appendAuditLine(this.#parts.path, text, isBehindFragment)
    this.#end = end
    this.#lines.inc()
  }

  /** What a crash, a full disk or somebody else left behind the last whole line is kept, and told by a line of its own. */
  async #readEnd(): Promise<ChainEnd> {
    const { path, clock, log } = this.#parts
    const { end, unreadable, lacksLineEnd } = await readAuditEnd(path)
    // It was written, although the disk said otherwise.
    if (this.#attempted === end.hash) this.#unwritten.shift()
    this.#attempted = undefined
    if (unreadable === undefined) {
      await (lacksLineEnd ? appendAuditLine(path, '', false) : touchAuditFile(path))
      return end
    }
    const { text, end: found } = formatFoundLine(unreadable, clock.wallMs(), end)
    await this.#append(text, found, !unreadable.isEnded)
    log.warn(
      `The audit log ${path} ended with ${unreadable.bytes} bytes that are no line, which ${unreadable.isEnded ? 'a node does not leave: somebody changed the file' : 'a power cut or a full disk leaves'}. They are kept, and line ${found.line} tells of them.`,
    )
    return found
  }

  #fail(error: unknown): void {
    const { path, clock, log } = this.#parts
    const reason = error instanceof Error ? error.message : String(error)
    if (!this.#isFailing) {
      log.error(
        `The audit log cannot be written: ${reason} Until it can, calls that change something are refused; the chain goes on.`,
        { path, unwritten: this.#unwritten.length },
      )
    }
    this.#isFailing = true
    this.#retry?.cancel()
    this.#retry = clock.after(RETRY_MS, () => void this.#flush(), { unref: true })
  }
}
