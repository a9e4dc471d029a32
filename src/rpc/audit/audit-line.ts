/**
 * One line of the audit log: JSON that ends with the hash of the line before it and with the hash of all that stands
 * before that last member. docs/audit.md describes it for those who read it without Cairn.
 */
import { createHash } from 'node:crypto'
import type { AuditOutcome, AuditRecord } from './audit-record.ts'

/** What a line follows. */
export interface ChainEnd {
  /** 0: there is no line yet. */
  readonly line: number
  readonly hash: string
}

export interface AuditLine extends ChainEnd {
  /** The hash of the line before it. */
  readonly previous: string
  readonly time: string
  /** Of a line that tells what a start found at the end of the file. */
  readonly unreadable: UnreadableEnd | undefined
}

/** Bytes behind the last line that can be read. */
export interface UnreadableEnd {
  readonly bytes: number
  readonly sha256: string
  /** False: the last of them is no line end, as a power cut or a full disk leaves them. */
  readonly isEnded: boolean
}

export const NO_LINES: ChainEnd = { line: 0, hash: '0'.repeat(64) }

/** No line that is written is as long. */
export const MAX_LINE_BYTES = 2 * 1024 * 1024

const HASH_MEMBER = /^(.*),"hash":"([0-9a-f]{64})"\}$/s
const HASH = /^[0-9a-f]{64}$/

type Content = AuditRecord | (AuditRecord & AuditOutcome) | { readonly unreadable: UnreadableEnd }

/** Without a line end. */
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

/** `changed`: it looks like a line and has another hash than it says. */
export function parseAuditLine(bytes: Uint8Array): AuditLine | 'unreadable' | 'changed' {
  if (bytes.length >= MAX_LINE_BYTES) return 'unreadable'
  const text = Buffer.from(bytes).toString('utf8')
  const match = HASH_MEMBER.exec(text)
  if (match === null) return 'unreadable'
  const [, start, hash] = match as unknown as [string, string, string]
  let members: Readonly<Record<string, unknown>>
  try {
    members = JSON.parse(text)
  } catch {
    return 'unreadable'
  }
  // Bytes that are no text would come back as others: the hash is of what is stored.
  if (sha256Of(start) !== hash || !Buffer.from(text, 'utf8').equals(bytes)) return 'changed'
  const { line, time, previous, unreadable } = members
  if (!Number.isSafeInteger(line) || typeof time !== 'string') return 'unreadable'
  if (typeof previous !== 'string' || !HASH.test(previous)) return 'unreadable'
  return { line: line as number, time, previous, hash, unreadable: readEnd(unreadable) }
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
