/**
 * Full synchronisation: headers from one peer, bodies from all, blocks to the writer, at the same time. Headers have to follow
 * the chain and bodies their headers before anything is kept; whether a block is valid is for the writer, and whoever showed the
 * header of one that is not has lied. What is under way is in memory only: after a stop it begins at the head again.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeAskedHashes, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH, MAX_BODIES } from '#sync/wire/eth-codes.ts'
import type { Address } from '#types/address.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { Fault } from '#types/fault.ts'
import { type BlockPart, BlockSlots, type ShownHeader, type Slot } from './block-slots.ts'
import { findParting } from './find-parting.ts'
import { type ChainedHeader, type ChainTip, isAhead, linkHeaders } from './header-chain.ts'
import { type MatchedBodies, matchBodies } from './match-bodies.ts'
import { recoverSenders } from './recover-senders.ts'

/** Of one request: what Besu asks for, and every client gives. */
const HEADERS_ASKED = 192
/** Requests for bodies that one peer has at a time. */
const MAX_LOAD = 2
/** Where a peer could not be asked. */
const ASK_AGAIN_MS = 200
/** After a failure that is no peer's. */
const RETRY_MS = 2_000
/** A block that was announced most often comes by itself. */
const NEAR_MS = 400
const NEAR_BLOCKS = 2
const PROGRESS_LOG_MS = 5_000

export interface ImportAnswer {
  readonly ok: boolean
  readonly imported: number
  /** Of the block that was refused. */
  readonly sentence?: string
}

export interface CatchUpParts {
  readonly clock: Clock
  readonly log: Log
  readonly chain: ChainView
  readonly crypto: Crypto
  readonly hashBlock: HashBlock
  /** Those that may be asked. */
  readonly peers: () => readonly EthPeer[]
  /** In order; with the senders of their transactions, and how many more blocks are in hand. */
  readonly importBlocks: (
    blocks: readonly Uint8Array[],
    senders: readonly (readonly Address[])[],
    remaining: number,
  ) => Promise<ImportAnswer>
}

export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** The peer is gone, slow, or takes no questions: its score knows. */
class Unanswered extends Error {}

export class CatchUp {
  readonly #parts: CatchUpParts
  #slots = new BlockSlots()
  #startingBlock: number | undefined
  #isAskingHeaders = false
  #importing: Promise<void> | undefined
  #waiting:
    | { readonly part: BlockPart; readonly senders: Promise<readonly (readonly Address[])[]> }
    | undefined
  #timer: Timer | undefined
  #isStopped = false
  #loggedMs = Number.NEGATIVE_INFINITY
  #generation = 0
  #hasUnanswered = false
  #hasCaughtUp = false

  constructor(parts: CatchUpParts) {
    this.#parts = parts
  }

  /** undefined: there is nobody to catch up with. */
  progress(): SyncProgress | undefined {
    const current = this.#head().number
    if (this.#startingBlock === undefined || this.#highest() <= current) return undefined
    return { startingBlock: this.#startingBlock, currentBlock: current, highestBlock: this.#highest() }
  }

  /** Since the start this node has been as far as every peer of then. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp
  }

  /**
   * Headers of blocks that are missing here are in hand. What peers merely say does not count: one that boasts must not keep
   * this node from telling blocks and taking transactions.
   */
  get isBehind(): boolean {
    return this.#slots.count > NEAR_BLOCKS
  }

  /** What it showed and did not give is asked of nobody else. */
  onLeft(peer: EthPeer): void {
    if (this.#slots.hasDoubted(peer)) this.#reset()
    this.wake()
  }

  /** Something changed: a peer came, or told of a block, or the head moved. */
  wake(): void {
    if (this.#isStopped) return
    const highest = this.#highest()
    const behind = highest - this.#head().number
    if (behind <= 0) {
      if (highest >= 0) this.#hasCaughtUp = true
      this.#finish()
      return
    }
    if (this.#startingBlock !== undefined || behind > NEAR_BLOCKS) this.#pump()
    else this.#later(NEAR_MS)
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#reset()
  }

  #later(delayMs: number): void {
    if (this.#isStopped) return
    this.#timer ??= this.#parts.clock.after(
      delayMs,
      () => {
        this.#timer = undefined
        if (this.#highest() > this.#head().number) this.#pump()
        else this.#finish()
      },
      { unref: true },
    )
  }

  #finish(): void {
    if (this.#startingBlock === undefined) return
    const { number } = this.#head()
    this.#parts.log.info(`In step with the peers at block ${number}`)
    this.#startingBlock = undefined
    this.#reset()
  }

  #reset(): void {
    this.#generation += 1
    this.#slots.clear()
    this.#waiting = undefined
  }

  #pump(): void {
    this.#startingBlock ??= this.#head().number
    this.#dropStale()
    this.#askHeaders()
    this.#askBodies()
    this.#import()
  }

  /** Blocks came another way meanwhile: what is in hand no longer follows the head. */
  #dropStale(): void {
    const head = this.#head()
    const tip = this.#slots.tip
    const isUnderWay = this.#importing !== undefined || this.#waiting !== undefined
    if (tip !== undefined && !isUnderWay && tip.number <= head.number) this.#reset()
  }

  #askHeaders(): void {
    if (this.#isAskingHeaders || this.#slots.isFull) return
    const tip = this.#slots.tip ?? this.#head()
    const peer = this.#best(({ height }) => height > tip.number)
    if (peer === undefined) return
    this.#isAskingHeaders = true
    const generation = this.#generation
    this.#askFrom(peer, BigInt(tip.number + 1), false)
      .then((data) => {
        if (generation !== this.#generation) return
        return this.#onHeaders(peer, decodeAnswer('BlockHeaders', data, HEADERS_ASKED).what, tip)
      })
      .catch((error: unknown) => this.#blame(peer, error))
      .finally(() => {
        this.#isAskingHeaders = false
        this.#goOn()
      })
  }

  #askFrom(peer: EthPeer, from: bigint, isReverse: boolean): Promise<Uint8Array> {
    const what = { from, count: BigInt(HEADERS_ASKED), skip: 0n, isReverse }
    return this.#ask(peer, ETH.getBlockHeaders, ETH.blockHeaders, (id) => encodeGetBlockHeaders({ id, what }))
  }

  async #onHeaders(peer: EthPeer, encoded: readonly Uint8Array[], tip: ChainTip): Promise<void> {
    if (encoded.length === 0) {
      // It does not have what it said it has.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const linked = linkHeaders(encoded, tip, this.#parts.hashBlock)
    if (linked.ok) {
      peer.useful()
      this.#slots.add(linked.headers, peer)
      return
    }
    if (linked.why === 'fork' && this.#slots.count > 0) {
      // It or the one before it; whose headers are true, the writer finds out.
      peer.setHeight(tip.hash, tip.number)
      peer.useless()
      return
    }
    const why = linked.why === 'fork' ? await this.#parting(peer, tip, linked.sentence) : linked.sentence
    this.#parts.log.warn('A peer is on another chain, or lies.', { id: peer.id, why })
    peer.disconnect('uselessPeer', why)
  }

  /** Which chain is the right one nobody here can say; where they parted an operator wants to know. */
  async #parting(peer: EthPeer, head: ChainTip, sentence: string): Promise<string> {
    const ask = async (from: bigint) =>
      decodeAnswer('BlockHeaders', await this.#askFrom(peer, from, true), HEADERS_ASKED).what
    const last = await findParting(head, { ...this.#parts, ask })
    return last === undefined ? sentence : `The chain of the peer left ours after block ${last}. ${sentence}`
  }

  #askBodies(): void {
    for (;;) {
      const next = this.#slots.nextMissing
      const peer = next === undefined ? undefined : this.#best((one) => mayHave(one, next))
      if (next === undefined || peer === undefined) return
      const slots = this.#slots
      const asked = slots.askNext(next)
      this.#ask(peer, ETH.getBlockBodies, ETH.blockBodies, (id) =>
        encodeAskedHashes({ id, what: asked.map(({ hash }) => hash) }),
      )
        .then((data) => {
          const bodies = this.#bodiesIn(data, asked)
          slots.settle(asked, bodies)
          if (bodies.some((body) => body !== undefined)) peer.useful()
          else this.#onNoBodies(peer, next)
        })
        .catch((error: unknown) => {
          slots.settle(asked, [])
          this.#blame(peer, error)
          if (next.isDoubted) this.#onNoBodies(peer, next)
        })
        .finally(() => this.#goOn())
    }
  }

  #bodiesIn(data: Uint8Array, asked: readonly ChainedHeader[]): MatchedBodies {
    const { what } = decodeAnswer('BlockBodies', data, MAX_BODIES)
    const headers = asked.map(({ header }) => header)
    return matchBodies(what, headers, this.#parts.crypto.keccak)
  }

  /** Who shows a header has its block. Others may not: the header may be made up. */
  #onNoBodies(peer: EthPeer, { from, header }: ShownHeader): void {
    if (peer !== from) return
    peer.disconnect('uselessPeer', `The peer shows the header of block ${header.number}, and not the block.`)
    this.#reset()
  }

  /** Rejects with the sentence why it did not answer. */
  async #ask(
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

  /** Not at once where nobody could be asked: whoever cannot take a question now cannot take it in the same turn. */
  #goOn(): void {
    this.#later(this.#hasUnanswered ? ASK_AGAIN_MS : 0)
    this.#hasUnanswered = false
  }

  /** Senders of the next part are recovered while the writer executes the one before. */
  #import(): void {
    if (this.#waiting === undefined) {
      const part = this.#slots.takePart()
      if (part === undefined) return
      const senders = recoverSenders(part.transactions, this.#parts.crypto)
      senders.catch(() => undefined)
      this.#waiting = { part, senders }
    }
    if (this.#importing !== undefined) return
    const { part, senders } = this.#waiting
    this.#waiting = undefined
    this.#importing = this.#importPart(part, senders, this.#generation)
      .catch((err: unknown) => {
        this.#parts.log.warn('Blocks of peers could not be imported; it is tried again.', { err })
        this.#reset()
        this.#later(RETRY_MS)
      })
      .finally(() => {
        this.#importing = undefined
        if (this.#timer === undefined) this.wake()
      })
    // The next part is prepared beside it.
    this.#import()
  }

  async #importPart(
    part: BlockPart,
    senders: Promise<readonly (readonly Address[])[]>,
    generation: number,
  ): Promise<void> {
    const remaining = this.#slots.count + (this.#waiting?.part.blocks.length ?? 0)
    const answer = await this.#parts.importBlocks(part.blocks, await senders, remaining)
    if (!answer.ok) {
      if (generation === this.#generation) this.#reset()
      this.#onRefused(part.shown[answer.imported]!, answer.sentence ?? 'No reason was given.')
      return
    }
    this.#tell(part.tip)
  }

  #onRefused({ from, header }: ShownHeader, sentence: string): void {
    const { clock, log } = this.#parts
    if (isAhead(header, clock)) {
      // The clock of this node may be the one that is wrong.
      log.warn('A block of a peer is ahead of the clock of this node; it is tried again.', { why: sentence })
      this.#later(RETRY_MS)
      return
    }
    log.warn('A peer sent an invalid block.', { id: from.id, why: sentence })
    from.disconnect('breachOfProtocol', `A block of the peer is invalid. ${sentence}`)
  }

  #tell({ number }: ChainTip): void {
    const { clock, log } = this.#parts
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#loggedMs < PROGRESS_LOG_MS) return
    this.#loggedMs = nowMs
    log.info(`Imported blocks up to ${number} of ${this.#highest()}`, { peers: this.#parts.peers().length })
  }

  #blame(peer: EthPeer, error: unknown): void {
    if (error instanceof Unanswered) {
      this.#hasUnanswered = true
      this.#parts.log.debug('A peer did not answer.', { id: peer.id, why: error.message })
      return
    }
    if (!(error instanceof Fault)) {
      this.#parts.log.error('An answer of a peer could not be handled.', { id: peer.id, err: error })
      return
    }
    peer.disconnect('breachOfProtocol', error.data.sentence)
  }

  /** The one with the best score, and of these the one with the least to do. */
  #best(isFit: (peer: EthPeer) => boolean): EthPeer | undefined {
    const fit = this.#parts.peers().filter((peer) => isFit(peer))
    return fit.toSorted((a, b) => a.load - b.load || b.score.points - a.score.points)[0]
  }

  #highest(): number {
    return this.#parts.peers().reduce((highest, { height }) => Math.max(highest, height), -1)
  }

  /** What is durable, which may be newer than what was announced here. */
  #head(): ChainTip {
    const { hash, header } = this.#parts.chain.storedHead()
    return { number: Number(header.number), hash }
  }
}

function mayHave(peer: EthPeer, { from, header, isDoubted }: Slot): boolean {
  if (peer.load >= MAX_LOAD) return false
  return isDoubted ? peer === from : peer.height >= Number(header.number)
}
