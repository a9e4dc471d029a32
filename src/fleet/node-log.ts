import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { FleetNode } from './network-directory.ts'

const TAIL_BYTES = 64 * 1024

export interface LogPart {
  readonly text: string
  /** Where the next part begins. */
  readonly end: number
}

/** What a log has from `start` on, at most `maxBytes` of it; a log that became shorter is read from its beginning. */
export function readLog(file: string, start: number, maxBytes = TAIL_BYTES): LogPart {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return { text: '', end: 0 }
  }
  try {
    const { size } = fstatSync(fd)
    const from = start > size ? 0 : start
    const bytes = Buffer.alloc(Math.min(maxBytes, size - from))
    const length = readSync(fd, bytes, 0, bytes.length, from)
    return { text: bytes.subarray(0, length).toString('utf8'), end: from + length }
  } finally {
    closeSync(fd)
  }
}

/** The last lines of a log, and where it ends. */
export function tailOf(file: string, lines: number): LogPart {
  let end = 0
  try {
    const fd = openSync(file, 'r')
    end = fstatSync(fd).size
    closeSync(fd)
  } catch {
    return { text: '', end: 0 }
  }
  const part = readLog(file, Math.max(0, end - TAIL_BYTES))
  const all = part.text.split('\n')
  return { text: all.slice(-lines - 1).join('\n'), end: part.end }
}

export interface LastWords {
  readonly text: string
  /** Something went wrong. */
  readonly isFault: boolean
}

/** Of a node that has ended; undefined: it said nothing. */
export function lastWords({ logFile }: Pick<FleetNode, 'logFile'>): LastWords | undefined {
  const line = tailOf(logFile, 20)
    .text.split('\n')
    .findLast((each) => each.trim() !== '')
  if (line === undefined) return undefined
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown }
    if (typeof msg === 'string') return { text: msg, isFault: level === 'ERROR' || level === 'FATAL' }
  } catch {
    // A program that crashed does not write JSON.
  }
  return { text: line, isFault: true }
}
