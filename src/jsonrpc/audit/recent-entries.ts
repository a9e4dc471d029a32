/** The last entries of an audit log, for readers that only see its end. */
import { type AuditTail, readAuditLine } from './audit-line.ts'

export interface RecentEntry {
  readonly line: number
  readonly time: string
  readonly user: string | null
  readonly remoteAddress: string | null
  readonly requestId: string | null
  readonly method: string
  readonly params: unknown
  /** The members of the line that report the outcome and the change. */
  readonly outcome: Readonly<Record<string, unknown>>
  /** False if the line was changed after it was written. */
  readonly isIntact: boolean
}

export interface RecentEntries {
  /** The newest first. */
  readonly entries: readonly RecentEntry[]
  /** False if the file has earlier lines that were not read. */
  readonly isComplete: boolean
}

const NEW_LINE = 0x0a
const OUTCOME = ['result', 'error', 'outcome', 'before', 'after'] as const
/** Maximum bytes of the lines that are returned, so one answer stays short. */
const MAX_RETURNED_BYTES = 256 * 1024

/** Entries of methods that begin with `prefix`. Lines that report a crash, and unreadable ones, are left out. */
export function recentEntries(
  { bytes, isWhole }: AuditTail,
  maxEntries: number,
  prefix: string,
): RecentEntries {
  const entries: RecentEntry[] = []
  let returnedBytes = 0
  for (let stop = bytes.length; stop > 0; ) {
    const start = bytes.lastIndexOf(NEW_LINE, stop - 1) + 1
    // The first piece of a longer file is the rest of a line.
    if (start === 0 && !isWhole) return { entries, isComplete: false }
    const entry = readEntry(bytes.subarray(start, stop))
    if (entry?.method.startsWith(prefix)) {
      returnedBytes += stop - start
      if (entries.length === maxEntries || returnedBytes > MAX_RETURNED_BYTES) {
        return { entries, isComplete: false }
      }
      entries.push(entry)
    }
    stop = start - 1
  }
  return { entries, isComplete: isWhole }
}

function readEntry(bytes: Uint8Array): RecentEntry | undefined {
  const read = readAuditLine(bytes)
  if (read === undefined) return undefined
  const { time, user, remoteAddress, requestId, method, params, ...rest } = read.members
  if (typeof method !== 'string') return undefined
  return {
    line: Number.isSafeInteger(rest.line) ? (rest.line as number) : 0,
    time: String(time),
    user: textOrNull(user),
    remoteAddress: textOrNull(remoteAddress),
    requestId: textOrNull(requestId),
    method,
    params: params ?? null,
    outcome: Object.fromEntries(
      OUTCOME.flatMap((name) => (rest[name] === undefined ? [] : [[name, rest[name]]])),
    ),
    isIntact: read.isIntact,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
