/** Chooses the peers that get a new block complete; the others get its hash. */
import type { Random } from '#platform/random.ts'

/** Minimum number of peers that get a complete block, if the square root of the peer count is lower. */
const WHOLE_LEAST = 4

export interface Receivers<Peer> {
  readonly whole: readonly Peer[]
  readonly hashOnly: readonly Peer[]
}

/**
 * Peers that need the block get it, and so does the square root of the others. They are drawn for each block, so no order of
 * connections decides who waits.
 */
export function chooseReceivers<Peer>(
  peers: readonly Peer[],
  needsWhole: (peer: Peer) => boolean,
  random: Pick<Random, 'randomBelow'>,
): Receivers<Peer> {
  const needing = peers.filter(needsWhole)
  const others = peers.filter((peer) => !needsWhole(peer))
  const count = Math.min(others.length, Math.max(WHOLE_LEAST, Math.ceil(Math.sqrt(others.length))))
  for (let at = 0; at < count; at++) {
    const drawn = at + random.randomBelow(others.length - at)
    ;[others[at], others[drawn]] = [others[drawn]!, others[at]!]
  }
  return { whole: [...needing, ...others.slice(0, count)], hashOnly: others.slice(count) }
}
