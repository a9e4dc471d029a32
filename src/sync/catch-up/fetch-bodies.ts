/** Fetches the bodies of kept headers from all peers that have them. A late body is also requested from another peer. */
import { choosePeer } from '#sync/peers/choose-peer.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeAskedHashes } from '#sync/wire/block-requests.ts'
import { ETH, MAX_BODIES } from '#sync/wire/eth-codes.ts'
import type { Keccak } from '#types/keccak.ts'
import { askPeer, blamePeer } from './ask-peer.ts'
import { type BlockSlots, LATE_MS, MAX_CHUNK, type ShownHeader, type Slot } from './block-slots.ts'
import type { CatchUpParts } from './catch-up.ts'
import { matchBodies } from './match-bodies.ts'

/** Maximum concurrent requests per peer. */
const MAX_LOAD = 2

export interface FetchBodiesParts extends Pick<CatchUpParts, 'clock' | 'log' | 'peers'> {
  readonly keccak: Keccak
  readonly slots: () => BlockSlots
  /** Called when a peer does not have the block of a header it sent, so all kept headers are worthless. */
  readonly onMadeUp: () => void
  /** Asks for more: soon, or after a pause if a peer did not answer. */
  readonly goOn: (isUnanswered: boolean) => void
}

export class FetchBodies {
  readonly #parts: FetchBodiesParts

  constructor(parts: FetchBodiesParts) {
    this.#parts = parts
  }

  ask(): void {
    const { clock, peers } = this.#parts
    const slots = this.#parts.slots()
    for (;;) {
      const nowMs = clock.monotonicMs()
      const next = slots.nextMissing(nowMs)
      if (next === undefined) return
      const fit = peers().filter((one) => mayHave(one, next))
      const peer = choosePeer(fit, ETH.getBlockBodies, 'leastBusy')
      if (peer === undefined) return
      this.#request(peer, slots, slots.askNext(next, peer, nowMs))
    }
  }

  #request(peer: EthPeer, slots: BlockSlots, asked: readonly Slot[]): void {
    const { clock, log, keccak, goOn } = this.#parts
    const next = asked[0]!
    const isLastHope = next.isDoubted
    const askedMs = clock.monotonicMs()
    const answered = (items: number, tookMs: number) => peer.score.answered(ETH.getBlockBodies, items, tookMs)
    const onLate = (): void => {
      answered(0, LATE_MS)
      goOn(false)
    }
    const timer = clock.after(LATE_MS, onLate, { unref: true })
    let isUnanswered = false
    const encode = (id: bigint) => encodeAskedHashes({ id, what: asked.map(({ hash }) => hash) })
    askPeer(peer, ETH.getBlockBodies, ETH.blockBodies, encode)
      .then((data) => {
        const { what } = decodeAnswer('BlockBodies', data, MAX_BODIES)
        const headers = asked.map(({ header }) => header)
        answered(what.length >= asked.length ? MAX_CHUNK : what.length, clock.monotonicMs() - askedMs)
        const bodies = matchBodies(what, headers, keccak)
        slots.settle(asked, peer, bodies)
        if (bodies.some((body) => body !== undefined)) peer.useful()
        else this.#onNoBodies(peer, next)
      })
      .catch((error: unknown) => {
        slots.settle(asked, peer, [])
        isUnanswered = blamePeer(log, peer, error)
        if (isLastHope) this.#onNoBodies(peer, next)
      })
      .finally(() => {
        timer.cancel()
        goOn(isUnanswered)
      })
  }

  /** A peer that sends a header must have its block. Other peers may lack it, since the header may be forged. */
  #onNoBodies(peer: EthPeer, { from, header }: ShownHeader): void {
    if (peer !== from) return
    peer.disconnect('uselessPeer', `The peer shows the header of block ${header.number}, and not the block.`)
    this.#parts.onMadeUp()
  }
}

function mayHave(peer: EthPeer, { from, header, isDoubted, asked }: Slot): boolean {
  if (peer.load >= MAX_LOAD || peer === asked?.peer) return false
  return isDoubted ? peer === from : peer.claims(Number(header.number))
}
