import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { FleetNode } from './network-directory.ts'

const TAIL_BYTES = 64 * 1024

export interface LogPart {
  readonly text: string
  /** The position of the next part. */
  readonly end: number
}

const NEWLINE = 0x0a

/** Reads at most `maxBytes` of a log from `start`; a truncated log is read from its beginning. */
function readLog(file: string, start: number, maxBytes: number): { bytes: Buffer; from: number } {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return { bytes: Buffer.alloc(0), from: 0 }
  }
  try {
    const { size } = fstatSync(fd)
    const from = start > size ? 0 : start
    const bytes = Buffer.alloc(Math.min(maxBytes, size - from))
    return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from)), from }
  } finally {
    closeSync(fd)
  }
}

/** Reads complete lines from `start`. An incomplete last line is left for later, unless it fills the part. */
export function readLines(file: string, start: number, maxBytes = TAIL_BYTES): LogPart {
  const { bytes, from } = readLog(file, start, maxBytes)
  const whole = bytes.lastIndexOf(NEWLINE) + 1
  const length = whole === 0 && bytes.length === maxBytes ? maxBytes : whole
  return { text: bytes.toString('utf8', 0, length), end: from + length }
}

/** The last lines of a log, including an incomplete one; the next part begins with that line. */
export function tailOf(file: string, lines: number): LogPart {
  const end = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const { bytes, from } = readLog(file, Math.max(0, end - TAIL_BYTES), TAIL_BYTES)
  const all = bytes.toString('utf8').split('\n')
  return { text: all.slice(-lines - 1).join('\n'), end: from + bytes.lastIndexOf(NEWLINE) + 1 }
}

export interface LastWords {
  readonly text: string
  readonly isFault: boolean
}

/** The last log line of a node that has ended; undefined if there is none. */
export function lastWords({ logFile }: Pick<FleetNode, 'logFile'>): LastWords | undefined {
  const line = tailOf(logFile, 20)
    .text.split('\n')
    .findLast((each) => each.trim() !== '')
  if (line === undefined) return undefined
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown }
    if (typeof msg === 'string') return { text: msg, isFault: level === 'ERROR' || level === 'FATAL' }
  } catch {
    // A crashed program does not write JSON.
  }
  return { text: line, isFault: true }
}
