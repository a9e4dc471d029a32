/** Peers that connect and disconnect, each with its own key. */
import { handMadePeer } from '#p2p/peers/hand-made-peer.fixture.ts'
import { deflate } from '#p2p/rlpx/snappy.ts'
import { DISCONNECT, encodeDisconnect } from '#p2p/rlpx/wire-messages.ts'
import { systemClock } from '#platform/clock.ts'
import type { Enode } from '#types/enode.ts'
import type { Target } from './start-target.ts'
import type { Feeling } from './target.ts'

const PARALLEL = 4
const GONE_MAX_MS = 10_000

/** One connection: both send HELLO, and it ends with a disconnect message, a closed socket or a reset. */
async function comeAndGo(to: Enode, at: number): Promise<void> {
  const { socket, send, sayHello } = await handMadePeer(to)
  // Not events.once, which throws if the node resets the connection.
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

/** Waits until all peers are gone, or for the maximum time, and returns the remaining resources. */
export async function untilQuiet(feel: Target['feel']): Promise<Feeling> {
  const endMs = systemClock.monotonicMs() + GONE_MAX_MS
  let felt = await feel()
  while (felt.sockets + felt.peers > 0 && systemClock.monotonicMs() < endMs) {
    await new Promise((resolve) => void systemClock.after(100, () => resolve(undefined)))
    felt = await feel()
  }
  return felt
}
