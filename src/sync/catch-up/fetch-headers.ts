/**
 * Headers after the tip, from the peer that answered fastest so far. If its answer is late, the next peer is asked too, and the
 * first answer counts: a peer that serves true headers slowly delays the node once. Headers have to follow the tip and be sealed.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { choosePeer } from '#sync/peers/choose-peer.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { askPeer, blamePeer } from './ask-peer.ts'
import { findParting } from './find-parting.ts'
import { type ChainedHeader, type ChainTip, linkHeaders } from './header-chain.ts'
import type { SealCheck } from './seal-check.ts'

/** Of one request: what Besu asks for, and every client gives. */
const HEADERS_ASKED = 192
/** After so long without an answer another peer is asked too. */
const LATE_MS = 500

export interface FetchHeadersParts {
  readonly clock: Clock
  readonly log: Log
  readonly chain: ChainView
  readonly hashBlock: HashBlock
  readonly seals: SealCheck
  readonly peers: () => readonly EthPeer[]
  /** The block whose followers are asked for. */
  readonly tip: () => ChainTip
  /** Whether the tip is the head, and not a header in hand. */
  readonly isAtHead: () => boolean
  readonly onHeaders: (headers: readonly ChainedHeader[], from: EthPeer) => void
  /** More can be asked; soon, or after a while if a peer did not answer. */
  readonly goOn: (isUnanswered: boolean) => void
}

interface HeaderRequest {
  readonly peer: EthPeer
  readonly tip: ChainTip
  isLate: boolean
}

export class FetchHeaders {
  readonly #parts: FetchHeadersParts
  readonly #requests = new Set<HeaderRequest>()
  #checking: Promise<void> = Promise.resolve()

  constructor(parts: FetchHeadersParts) {
    this.#parts = parts
  }

  ask(): void {
    const { clock, log, peers, goOn } = this.#parts
    const tip = this.#parts.tip()
    const requests = [...this.#requests]
    if (requests.some((request) => request.tip.hash === tip.hash && !request.isLate)) return
    const isFit = (one: EthPeer) => one.height > tip.number && requests.every(({ peer }) => peer !== one)
    const peer = choosePeer(peers().filter(isFit), ETH.getBlockHeaders, 'fastest')
    if (peer === undefined) return
    const request: HeaderRequest = { peer, tip, isLate: false }
    this.#requests.add(request)
    const askedMs = clock.monotonicMs()
    const onLate = (): void => {
      request.isLate = true
      peer.score.answered(ETH.getBlockHeaders, 0, LATE_MS)
      goOn(false)
    }
    const timer = clock.after(LATE_MS, onLate, { unref: true })
    let isUnanswered = false
    this.#askFrom(peer, BigInt(tip.number + 1), false)
      .then((data) => {
        timer.cancel()
        return this.#onAnswer(request, data, clock.monotonicMs() - askedMs)
      })
      .catch((error: unknown) => {
        isUnanswered = blamePeer(log, peer, error)
      })
      .finally(() => {
        timer.cancel()
        this.#requests.delete(request)
        goOn(isUnanswered)
      })
  }

  /** A peer that gives all it has is as fast as one that fills the answer. */
  async #onAnswer({ peer, tip }: HeaderRequest, data: Uint8Array, tookMs: number): Promise<void> {
    const headers = decodeAnswer('BlockHeaders', data, HEADERS_ASKED).what
    const isComplete = headers.length >= Math.min(HEADERS_ASKED, peer.height - tip.number)
    peer.score.answered(ETH.getBlockHeaders, isComplete ? HEADERS_ASKED : headers.length, tookMs)
    const before = this.#checking
    const checked = before.then(() => this.#check(peer, headers, tip))
    this.#checking = checked.catch(() => undefined)
    await checked
  }

  #isStale(tip: ChainTip): boolean {
    return this.#parts.tip().hash !== tip.hash
  }

  async #check(peer: EthPeer, encoded: readonly Uint8Array[], tip: ChainTip): Promise<void> {
    const { log, hashBlock, seals, isAtHead, onHeaders } = this.#parts
    if (this.#isStale(tip)) return
    if (encoded.length === 0) {
      // It does not have what it said it has.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const linked = linkHeaders(encoded, tip, hashBlock)
    if (linked.ok) {
      const problem = await seals.refuse(linked.headers, tip)
      if (problem !== undefined) {
        log.warn('A peer sent a header that the validators did not seal.', { id: peer.id, why: problem })
        peer.disconnect('breachOfProtocol', problem)
        return
      }
      peer.useful()
      peer.trust()
      if (!this.#isStale(tip)) onHeaders(linked.headers, peer)
      return
    }
    if (linked.why === 'fork' && !isAtHead()) {
      // It or the one before it; whose headers are true, the writer finds out.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const why = linked.why === 'fork' ? await this.#parting(peer, tip, linked.sentence) : linked.sentence
    log.warn('A peer is on another chain, or lies.', { id: peer.id, why })
    peer.disconnect('uselessPeer', why)
  }

  /** Which chain is the right one nobody here can say; where they parted an operator wants to know. */
  async #parting(peer: EthPeer, head: ChainTip, sentence: string): Promise<string> {
    const ask = async (from: bigint) =>
      decodeAnswer('BlockHeaders', await this.#askFrom(peer, from, true), HEADERS_ASKED).what
    const last = await findParting(head, { ...this.#parts, ask })
    return last === undefined ? sentence : `The chain of the peer left ours after block ${last}. ${sentence}`
  }

  #askFrom(peer: EthPeer, from: bigint, isReverse: boolean): Promise<Uint8Array> {
    const what = { from, count: BigInt(HEADERS_ASKED), skip: 0n, isReverse }
    return askPeer(peer, ETH.getBlockHeaders, ETH.blockHeaders, (id) => encodeGetBlockHeaders({ id, what }))
  }
}
