/**
 * Reports damage to a database from any thread to the owner of its writer, which stops the node, because answers
 * could be wrong.
 */
import { statSync } from 'node:fs'
import { hearProcessEvent, publishProcessEvent } from '#platform/process-events.ts'

/** Databases that this thread has open, to which damage found here may belong. */
const open = new Map<string, number>()

/** Identifies a directory independent of its path: links, mounts, relative paths, letter case. */
export function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}

export function noteOpen(identity: string): void {
  open.set(identity, (open.get(identity) ?? 0) + 1)
}

export function noteClosed(identity: string): void {
  const left = (open.get(identity) ?? 0) - 1
  if (left > 0) open.set(identity, left)
  else open.delete(identity)
}

export function reportDamage(sentence: string): void {
  for (const identity of open.keys()) publishProcessEvent(channelOf(identity), sentence)
}

export function listenForDamage(identity: string): ReturnType<typeof hearProcessEvent> {
  return hearProcessEvent(channelOf(identity))
}

function channelOf(identity: string): string {
  return `cairn damage ${identity}`
}
