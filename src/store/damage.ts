/**
 * Whoever finds that a database is damaged, on whichever thread, tells the owner of its writer, who stops the node: its
 * answers could be wrong from then on.
 */
import { statSync } from 'node:fs'
import { hearProcessNews, tellProcessNews } from '#platform/process-news.ts'

/** The databases that this thread has open: those that damage found here can be of. */
const open = new Map<string, number>()

/** Names a directory by what it is, since it may have several names: links, mounts, relative paths, cases. */
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

export function tellDamage(sentence: string): void {
  for (const identity of open.keys()) tellProcessNews(channelOf(identity), sentence)
}

export function hearDamage(identity: string): ReturnType<typeof hearProcessNews> {
  return hearProcessNews(channelOf(identity))
}

function channelOf(identity: string): string {
  return `cairn damage ${identity}`
}
