/**
 * Announces transactions of peers to the other peers, by hash and gathered. In a well-connected network most peers get each
 * transaction from its origin, so an announcement is usually too late. A peer that offers a transaction which this node had from
 * another peer hears of transactions without this node. It gets announcements rarely, until it requests a transaction from one.
 */
import type { Clock } from '#platform/clock.ts'
import { Gather } from '#platform/gather.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { KnownHashes } from '#sync/peers/known-hashes.ts'
import type { DescribedTransaction } from '#sync/wire/announcements.ts'
import type { Hash } from '#types/hash.ts'

/** Time during which announcements are gathered, for peers that may need them and for those that do not. */
const GATHER_MS = 50
const GATHER_LONG_MS = 500
/** Time after a request during which the peer gets announcements early. */
const NEEDED_MS = 600_000
/** Maximum remembered late announcements per peer. */
const MAX_LATE = 4_096

interface Receiver {
  hearsOthers: boolean
  neededUntilMs: number
  /** Hashes that were announced late. */
  readonly late: KnownHashes
}

/** The member of a peer that is used here. */
type KnowingPeer = Pick<EthPeer, 'transactions'>

export interface RelayHashesParts<Peer extends KnowingPeer> {
  readonly clock: Clock
  readonly peers: () => readonly Peer[]
  readonly announce: (peer: Peer, transactions: readonly DescribedTransaction[]) => void
}

export class RelayHashes<Peer extends KnowingPeer = EthPeer> {
  readonly #parts: RelayHashesParts<Peer>
  readonly #receivers = new WeakMap<Peer, Receiver>()
  readonly #soon: Gather<DescribedTransaction>
  readonly #late: Gather<DescribedTransaction>

  constructor(parts: RelayHashesParts<Peer>) {
    this.#parts = parts
    const gather = (intervalMs: number, isLate: boolean) =>
      new Gather<DescribedTransaction>(parts.clock, { intervalMs, handsFirstOnAtOnce: false }, (all) =>
        this.#announce(all, isLate),
      )
    this.#soon = gather(GATHER_MS, false)
    this.#late = gather(GATHER_LONG_MS, true)
  }

  add(transactions: readonly DescribedTransaction[]): void {
    this.#soon.add(transactions)
    this.#late.add(transactions)
  }

  /** The peer offered a transaction that came from another peer before. */
  hearsOthers(peer: Peer): void {
    this.#receiverOf(peer).hearsOthers = true
  }

  onRequested(peer: Peer, hashes: readonly Hash[]): void {
    const receiver = this.#receiverOf(peer)
    if (!hashes.some((hash) => receiver.late.has(hash))) return
    receiver.hearsOthers = false
    receiver.neededUntilMs = this.#parts.clock.monotonicMs() + NEEDED_MS
  }

  #announce(transactions: readonly DescribedTransaction[], isLate: boolean): void {
    const nowMs = this.#parts.clock.monotonicMs()
    for (const peer of this.#parts.peers()) {
      const receiver = this.#receiverOf(peer)
      if ((receiver.hearsOthers && nowMs >= receiver.neededUntilMs) !== isLate) continue
      const unknown = transactions.filter(({ hash }) => peer.transactions.add(hash))
      if (isLate) for (const { hash } of unknown) receiver.late.add(hash)
      if (unknown.length > 0) this.#parts.announce(peer, unknown)
    }
  }

  #receiverOf(peer: Peer): Receiver {
    let receiver = this.#receivers.get(peer)
    if (receiver === undefined) {
      const late = new KnownHashes(MAX_LATE)
      receiver = { hearsOthers: false, neededUntilMs: Number.NEGATIVE_INFINITY, late }
      this.#receivers.set(peer, receiver)
    }
    return receiver
  }
}
