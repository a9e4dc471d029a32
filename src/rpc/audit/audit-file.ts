/** The file of the audit log as its one writer sees it: where the chain ends, and a durable line more. */
import { appendDurably, readTail } from '#platform/files/durable-lines.ts'
import {
  type ChainEnd,
  formatAuditLine,
  MAX_LINE_BYTES,
  NO_LINES,
  parseAuditLine,
  sha256Of,
  type UnreadableEnd,
} from './audit-line.ts'

const NEW_LINE = 0x0a
/** Enough for the last whole line, and for what a crash left of two others. */
const TAIL_BYTES = 3 * MAX_LINE_BYTES

export interface FoundEnd {
  readonly end: ChainEnd
  /** What stands behind the last line that can be read. */
  readonly unreadable: UnreadableEnd | undefined
  /** The last line lacks its end, and nothing else. */
  readonly lacksLineEnd: boolean
}

/** Does not trust what it finds: the first lines may be anything, the last one is verified alone. */
export async function readAuditEnd(path: string): Promise<FoundEnd> {
  const tail = await readTail(path, TAIL_BYTES)
  if (tail === undefined || tail.bytes.length === 0) {
    return { end: NO_LINES, unreadable: undefined, lacksLineEnd: false }
  }
  const { bytes } = tail
  const isEnded = bytes.at(-1) === NEW_LINE
  // From the last line backwards to one that is whole.
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

/** Throws a Fault where the disk is full or the file cannot be written. */
export async function appendAuditLine(path: string, text: string, isBehindFragment: boolean): Promise<void> {
  await appendDurably(path, Buffer.from(`${isBehindFragment ? '\n' : ''}${text}\n`))
}

/** Finds out before anything is changed whether a line could be written. */
export async function touchAuditFile(path: string): Promise<void> {
  await appendDurably(path, new Uint8Array(0))
}

export function formatFoundLine(unreadable: UnreadableEnd, timeMs: number, after: ChainEnd) {
  return formatAuditLine({ unreadable }, timeMs, after)
}

/** A line end that is added so that the next line stands alone does not count. */
function describeEnd(bytes: Uint8Array, isEnded: boolean): UnreadableEnd {
  const content = isEnded ? bytes.subarray(0, -1) : bytes
  return { bytes: content.length, sha256: sha256Of(content), isEnded }
}
