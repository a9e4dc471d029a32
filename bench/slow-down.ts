/*
 * Loaded into a node by `bench requests --slower`: every piece that arrives at a socket costs some percent more time, as
 * if the code behind it had become slower. The judgement of the bench must notice it.
 */
import { Socket } from 'node:net'
import { SLOWER_PERCENT } from './read-jobs.ts'

/** A piece that takes longer was interrupted by another program. */
const LONGEST_MS = 0.1

const share = Number(process.env[SLOWER_PERCENT]) / 100
const { push } = Socket.prototype

Socket.prototype.push = function (this: Socket, ...piece: Parameters<typeof push>): boolean {
  const startMs = performance.now()
  const isTaken = push.apply(this, piece)
  const nowMs = performance.now()
  const endMs = nowMs + Math.min(nowMs - startMs, LONGEST_MS) * share
  while (performance.now() < endMs);
  return isTaken
}
