/** Who may be a peer: a port that allowlists and guests fill. It is asked at every step at which Besu asks. */
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Enode } from '#types/enode.ts'

/** What is about to happen with the peer. */
export type PeerAction =
  | 'keepInTable'
  | 'bondOutbound'
  | 'bondInbound'
  | 'askNeighbors'
  | 'tellNeighbors'
  | 'connectOutbound'
  | 'connectInbound'
  | 'stayOutbound'
  | 'stayInbound'

export type MayConnect = (action: PeerAction, peer: Enode) => Promise<boolean>

const DEADLINE_MS = 2_000

export const EVERYONE_MAY: MayConnect = async () => true

/** Whoever cannot be asked in time, or fails, has not permitted: a list that is there to protect fails closed. */
export function failClosed(mayConnect: MayConnect, clock: Clock, log: Log): MayConnect {
  if (mayConnect === EVERYONE_MAY) return mayConnect
  return async (action, peer) => {
    const deadline = deadlineSignal(clock, DEADLINE_MS, undefined, 'The question whether a peer is permitted')
    const { promise: late, reject } = Promise.withResolvers<never>()
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
    try {
      return await Promise.race([mayConnect(action, peer), late])
    } catch (err) {
      log.warn('A peer is refused, because nobody could say whether it is permitted.', { id: peer.id, err })
      return false
    } finally {
      deadline.clear()
    }
  }
}
