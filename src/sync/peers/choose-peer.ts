import type { EthPeer } from './eth-peer.ts'

/** A peer that is this many times slower than the fastest is not asked while a faster one can be. */
const SLOWER = 8

/**
 * `fastest`: each request goes to the peer that answered best so far. `leastBusy`: requests are spread over the peers that are
 * about as fast, and over new ones. What a peer did for other purposes, such as sending transactions, does not count.
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
