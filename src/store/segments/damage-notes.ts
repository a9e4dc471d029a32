/**
 * Notes of damaged segments: empty files next to them. Any thread or command that finds damage writes one, and the node
 * repairs the segment. A note stays until the segment is intact, so a kill loses none.
 */

import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { segmentName } from './segment-layout.ts'

const NOTE = /^(\d+)\.segment\.damaged$/

/** A note that cannot be written is not worth a failure: the next read finds the damage again. */
export function noteDamage(folder: string, first: number): void {
  try {
    closeSync(openSync(notePath(folder, first), 'a'))
  } catch {
    return
  }
}

/** First blocks of the noted segments, ascending. */
export function notedDamage(folder: string): number[] {
  try {
    const numbers = readdirSync(folder).flatMap((name) => NOTE.exec(name)?.[1] ?? [])
    return numbers.map(Number).sort((a, b) => a - b)
  } catch {
    return []
  }
}

export function clearNote(folder: string, first: number): void {
  rmSync(notePath(folder, first), { force: true })
}

function notePath(folder: string, first: number): string {
  return join(folder, `${segmentName(first)}.damaged`)
}
