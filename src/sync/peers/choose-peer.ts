import type { EthPeer } from './eth-peer.ts'

/** A peer slower than the fastest by this factor is asked only if no faster one is available. */
const SLOWER = 8

/**
 * Chooses the peer for a request. `fastest` takes the peer that answered best so far; `leastBusy` spreads requests over peers
 * of similar speed and new ones. Other services of a peer, such as sending transactions, do not count.
 */
export function choosePeer(
  peers: readonly EthPeer[],
  code: number,
  order: 'fastest' | 'leastBusy',
): EthPeer | undefined {
  const rateOf = ({ score }: EthPeer) => score.rate(code)
  const best = Math.max(0, ...peers.map((peer) => rateOf(peer) ?? 0))
  const quick = peers.filter((peer) => (rateOf(peer) ?? best) * SLOWER >= best)
  const byLoad = (a: EthPeer, b: EthPeer) => a.load - b.load
  const byRate = (a: EthPeer, b: EthPeer) => (rateOf(b) ?? 0) - (rateOf(a) ?? 0)
  const [first, second] = order === 'fastest' ? [byRate, byLoad] : [byLoad, byRate]
  return quick.toSorted((a, b) => first(a, b) || second(a, b) || b.score.points - a.score.points)[0]
}
