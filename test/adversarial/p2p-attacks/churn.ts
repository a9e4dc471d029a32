/** Peers that come and go, each with a key of its own. */
import { handMadePeer } from '#p2p/peers/hand-made-peer.fixture.ts'
import { deflate } from '#p2p/rlpx/snappy.ts'
import { DISCONNECT, encodeDisconnect } from '#p2p/rlpx/wire-messages.ts'
import { systemClock } from '#platform/clock.ts'
import type { Enode } from '#types/enode.ts'
import type { Target } from './start-target.ts'
import type { Feeling } from './target.ts'

const PARALLEL = 4
const GONE_MAX_MS = 10_000

/** One connection: both say HELLO, and then it ends with a goodbye, with a closed socket or with a broken one. */
async function comeAndGo(to: Enode, at: number): Promise<void> {
  const { socket, send, sayHello } = await handMadePeer(to)
  // Not events.once, which fails where the node resets the connection.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  sayHello()
  if (at % 3 === 0) send(DISCONNECT, deflate(encodeDisconnect('quitting')))
  else if (at % 3 === 1) socket.end()
  else socket.resetAndDestroy()
  await closed
}

export async function churn({ to, feel }: Target, count: number): Promise<Feeling> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await comeAndGo(to, next++)
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return await untilQuiet(feel)
}

/** What is left when everybody is gone, or when that takes too long. */
export async function untilQuiet(feel: Target['feel']): Promise<Feeling> {
  const endMs = systemClock.monotonicMs() + GONE_MAX_MS
  let felt = await feel()
  while (felt.sockets + felt.peers > 0 && systemClock.monotonicMs() < endMs) {
    await new Promise((resolve) => void systemClock.after(100, () => resolve(undefined)))
    felt = await feel()
  }
  return felt
}
