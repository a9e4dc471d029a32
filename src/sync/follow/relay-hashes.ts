/**
 * Announces transactions of peers to the other peers, by hash and gathered. In a well-connected network most peers get each
 * transaction from its origin, so an announcement is usually too late. A peer that offers a transaction which this node had from
 * another peer hears of transactions without this node. It gets announcements rarely, until it requests a transaction from one.
 */
import type { Clock, Timer } from '#platform/clock.ts'
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

/** The peer's part that is used here. */
type KnowingPeer = Pick<EthPeer, 'transactions'>

export interface RelayHashesParts<Peer extends KnowingPeer> {
  readonly clock: Clock
  readonly peers: () => readonly Peer[]
  readonly announce: (peer: Peer, transactions: readonly DescribedTransaction[]) => void
}

export class RelayHashes<Peer extends KnowingPeer = EthPeer> {
  readonly #parts: RelayHashesParts<Peer>
  readonly #receivers = new WeakMap<Peer, Receiver>()
  readonly #soon: Gathered
  readonly #late: Gathered

  constructor(parts: RelayHashesParts<Peer>) {
    this.#parts = parts
    this.#soon = new Gathered(parts.clock, GATHER_MS, (all) => this.#announce(all, false))
    this.#late = new Gathered(parts.clock, GATHER_LONG_MS, (all) => this.#announce(all, true))
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

/** Items that are handed on together, some time after the first. */
class Gathered {
  readonly #clock: Clock
  readonly #gatherMs: number
  readonly #flush: (all: readonly DescribedTransaction[]) => void
  #items: DescribedTransaction[] = []
  #timer: Timer | undefined

  constructor(clock: Clock, gatherMs: number, flush: (all: readonly DescribedTransaction[]) => void) {
    this.#clock = clock
    this.#gatherMs = gatherMs
    this.#flush = flush
  }

  add(items: readonly DescribedTransaction[]): void {
    this.#items.push(...items)
    this.#timer ??= this.#clock.after(
      this.#gatherMs,
      () => {
        const all = this.#items
        this.#items = []
        this.#timer = undefined
        this.#flush(all)
      },
      { unref: true },
    )
  }
}
