/**
 * Fetches the headers after the tip from the fastest peer. If its answer is late, the next peer is asked too and the first
 * answer counts, so a slow peer delays the node once. Headers must follow the tip and be sealed.
 */
import { SerialQueue } from '#platform/serial-queue.ts'
import { ethFault } from '#sync/faults.ts'
import { ifReadable } from '#sync/if-readable.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import { choosePeer } from '#sync/peers/choose-peer.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { askPeer, blamePeer } from './ask-peer.ts'
import type { CatchUpParts } from './catch-up.ts'
import { type ChainedHeader, type ChainTip, linkHeaders, readHeader } from './header-chain.ts'

/** Headers per request. Besu asks for as many, and every client sends them. */
export const HEADERS_ASKED = 192
/** Time after which a second peer is asked. */
const LATE_MS = 500

export interface FetchHeadersParts
  extends Pick<CatchUpParts, 'clock' | 'log' | 'chain' | 'hashBlock' | 'seals' | 'peers'> {
  /** The block whose successors are requested. */
  readonly tip: () => ChainTip
  /** Whether the tip is the head rather than a kept header. */
  readonly isAtHead: () => boolean
  readonly onHeaders: (headers: readonly ChainedHeader[], from: EthPeer) => void
  /** Asks for more: soon, or after a pause if a peer did not answer. */
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
  readonly #checks = new SerialQueue()

  constructor(parts: FetchHeadersParts) {
    this.#parts = parts
  }

  ask(): void {
    const { clock, log, peers, goOn } = this.#parts
    const tip = this.#parts.tip()
    const requests = [...this.#requests]
    if (requests.some((request) => request.tip.hash === tip.hash && !request.isLate)) return
    // A peer may still send the header of a block whose body it has removed.
    const isFit = (one: EthPeer) => one.claims(tip.number + 1) && requests.every(({ peer }) => peer !== one)
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

  /** A peer that sends all its headers counts as fast as one that fills the answer. */
  async #onAnswer({ peer, tip }: HeaderRequest, data: Uint8Array, tookMs: number): Promise<void> {
    const headers = decodeAnswer('BlockHeaders', data, HEADERS_ASKED).what
    const isComplete = headers.length >= Math.min(HEADERS_ASKED, peer.height - tip.number)
    peer.score.answered(ETH.getBlockHeaders, isComplete ? HEADERS_ASKED : headers.length, tookMs)
    await this.#checks.run(() => this.#check(peer, headers, tip))
  }

  #isStale(tip: ChainTip): boolean {
    return this.#parts.tip().hash !== tip.hash
  }

  async #check(peer: EthPeer, encoded: readonly Uint8Array[], tip: ChainTip): Promise<void> {
    const { log, hashBlock, seals, isAtHead, onHeaders } = this.#parts
    if (this.#isStale(tip)) return
    if (encoded.length === 0) {
      // The peer lacks blocks that it claimed.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const linked = linkHeaders(encoded, tip, hashBlock)
    if (linked.ok) {
      const problem = await seals.refuse(linked.headers, tip)
      if (problem !== undefined) {
        log.warn(SYNC_PROBLEMS.unsealedHeader, { id: peer.id, reason: problem })
        peer.disconnect('breachOfProtocol', problem)
        return
      }
      peer.useful()
      peer.trust()
      if (!this.#isStale(tip)) onHeaders(linked.headers, peer)
      return
    }
    if (linked.why === 'fork' && !isAtHead()) {
      // Either this peer or the previous one lies; the writer will find out.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const why = linked.why === 'fork' ? await this.#parting(peer, tip, linked.sentence) : linked.sentence
    log.warn(SYNC_PROBLEMS.otherChain, { id: peer.id, reason: why })
    peer.disconnect('uselessPeer', why)
  }

  /** This node cannot tell which chain is right, but the operator wants to know where they parted. */
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

/** Maximum headers examined. */
const MAX_BACK = 2_048

interface PartingParts extends Pick<CatchUpParts, 'chain' | 'hashBlock'> {
  /** Requests headers of the peer from a number on, downwards. */
  readonly ask: (from: bigint) => Promise<readonly Uint8Array[]>
}

/**
 * Walks down the peer's headers from the head to the last common block. Returns undefined if that is out of reach or the peer
 * stops answering. Throws a fault if the peer contradicts itself. The limit lets a peer cost this node a look, not a search.
 */
async function findParting(head: ChainTip, parts: PartingParts): Promise<number | undefined> {
  const { chain, hashBlock, ask } = parts
  let next = BigInt(head.number)
  let expected: string | undefined
  while (next >= 0n && BigInt(head.number) - next < MAX_BACK) {
    const answer = await ask(next)
    if (answer.length === 0) return undefined
    for (const bytes of answer) {
      const { hash, header } = readHeader(bytes, hashBlock)
      if (header.number !== next || (expected !== undefined && hash !== expected)) {
        throw ethFault(
          `The peer sent header ${header.number}, ${hash}, instead of the requested ${next}, ${expected ?? 'any hash'}.`,
        )
      }
      if (ifReadable(() => chain.lookup.isCanonical(hash)) === true) {
        if (hash !== head.hash) return Number(header.number)
        throw ethFault(
          `The peer has block ${head.number} of our chain, and showed a header that follows another one.`,
        )
      }
      expected = header.parentHash
      next--
    }
  }
  return undefined
}
