import type { Log } from '#platform/log/log.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { Fault } from '#types/fault.ts'

/** The peer left, is slow, or cannot be asked now; its score already counts that. */
class Unanswered extends Error {}

/** Rejects with the reason if the peer does not answer. */
export async function askPeer(
  peer: EthPeer,
  code: number,
  answerCode: number,
  encode: (id: bigint) => Uint8Array,
): Promise<Uint8Array> {
  try {
    return await peer.request(code, answerCode, encode)
  } catch (cause) {
    throw new Unanswered(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Ends the connection if the answer breaks the protocol. Returns whether there was no answer. */
export function blamePeer(log: Log, peer: EthPeer, error: unknown): boolean {
  if (error instanceof Unanswered) {
    log.debug('Peer did not answer', { id: peer.id, reason: error.message })
    return true
  }
  if (error instanceof Fault) peer.disconnect('breachOfProtocol', error.data.sentence)
  else log.error(SYNC_PROBLEMS.answerFailed, { id: peer.id, err: error })
  return false
}
