/**
 * One line of the audit log: JSON whose last members are the hash of the preceding line and the hash of everything
 * before that last member. docs/operate/audit.md describes it for other readers.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry, AuditOutcome } from './audit-entry.ts'

export interface ChainEnd {
  /** 0 if there is no line yet. */
  readonly line: number
  readonly hash: string
}

export interface AuditLine extends ChainEnd {
  /** The hash of the preceding line. */
  readonly previous: string
  readonly time: string
  /** Present in a line that reports an unreadable end found at start. */
  readonly unreadable: UnreadableEnd | undefined
}

/** Bytes after the last readable line. */
export interface UnreadableEnd {
  readonly bytes: number
  readonly sha256: string
  /** False if they lack a line end, as after a power cut or on a full disk. */
  readonly isEnded: boolean
}

/** The last bytes of the log. */
export interface AuditTail {
  readonly bytes: Uint8Array
  /** True if these are all of its bytes. */
  readonly isWhole: boolean
}

export const NO_LINES: ChainEnd = { line: 0, hash: '0'.repeat(64) }

/** Every written line is shorter. */
export const MAX_LINE_BYTES = 2 * 1024 * 1024

const HASH_MEMBER = /^(.*),"hash":"([0-9a-f]{64})"\}$/s
const HASH = /^[0-9a-f]{64}$/

type Content = AuditEntry | (AuditEntry & AuditOutcome) | { readonly unreadable: UnreadableEnd }

export function formatAuditLine(
  content: Content,
  timeMs: number,
  after: ChainEnd,
): { readonly text: string; readonly end: ChainEnd } {
  const line = after.line + 1
  const time = new Date(timeMs).toISOString()
  const whole = JSON.stringify({ line, time, ...content, previous: after.hash })
  const start = whole.slice(0, -1)
  const hash = sha256Of(start)
  return { text: `${start},"hash":"${hash}"}`, end: { line, hash } }
}

/** A line's members. They are untrusted if the hash does not match the content. */
export interface ReadLine {
  readonly members: Readonly<Record<string, unknown>>
  readonly hash: string
  readonly isIntact: boolean
}

/** Undefined if the bytes are not a line. */
export function readAuditLine(bytes: Uint8Array): ReadLine | undefined {
  if (bytes.length >= MAX_LINE_BYTES) return undefined
  const text = Buffer.from(bytes).toString('utf8')
  const match = HASH_MEMBER.exec(text)
  if (match === null) return undefined
  const [, start, hash] = match as unknown as [string, string, string]
  try {
    const members: Readonly<Record<string, unknown>> = JSON.parse(text)
    // Invalid UTF-8 decodes to other characters, but the hash covers the stored bytes.
    return { members, hash, isIntact: sha256Of(start) === hash && Buffer.from(text, 'utf8').equals(bytes) }
  } catch {
    return undefined
  }
}

/** `changed`: a line whose hash does not match its content. */
export function parseAuditLine(bytes: Uint8Array): AuditLine | 'unreadable' | 'changed' {
  const read = readAuditLine(bytes)
  if (read === undefined) return 'unreadable'
  if (!read.isIntact) return 'changed'
  const { line, time, previous, unreadable } = read.members
  if (!Number.isSafeInteger(line) || typeof time !== 'string') return 'unreadable'
  if (typeof previous !== 'string' || !HASH.test(previous)) return 'unreadable'
  return { line: line as number, time, previous, hash: read.hash, unreadable: readEnd(unreadable) }
}

export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function readEnd(value: unknown): UnreadableEnd | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { bytes, sha256, isEnded } = value as Readonly<Record<string, unknown>>
  if (typeof bytes !== 'number' || typeof sha256 !== 'string' || typeof isEnded !== 'boolean')
    return undefined
  return { bytes, sha256, isEnded }
}
