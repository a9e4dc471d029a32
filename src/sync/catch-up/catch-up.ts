/**
 * Full synchronisation: headers from one peer, bodies from all, blocks to the writer, at the same time. Headers have to follow
 * the chain and be sealed, and bodies have to match their headers, before anything is kept; whether a block is valid is for the
 * writer, and whoever showed the header of one that is not has lied. What is under way is in memory only: after a stop it begins
 * at the head again.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { recoverOne } from '#pool/prepare-submission.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import type { Address } from '#types/address.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { type BlockPart, BlockSlots, type ShownHeader } from './block-slots.ts'
import { FetchBodies } from './fetch-bodies.ts'
import { FetchHeaders } from './fetch-headers.ts'
import { type ChainTip, isAhead, tipOf } from './header-chain.ts'
import type { SealCheck } from './seal-check.ts'

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
  readonly seals: SealCheck
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

export class CatchUp {
  readonly #parts: CatchUpParts
  readonly #headers: FetchHeaders
  readonly #bodies: FetchBodies
  #slots = new BlockSlots()
  #startingBlock: number | undefined
  #importing: Promise<void> | undefined
  #waiting:
    | { readonly part: BlockPart; readonly senders: Promise<readonly (readonly Address[])[]> }
    | undefined
  #timer: Timer | undefined
  #isStopped = false
  #loggedMs = Number.NEGATIVE_INFINITY
  #generation = 0
  #hasCaughtUp = false

  constructor(parts: CatchUpParts) {
    this.#parts = parts
    const goOn = (isUnanswered: boolean) => this.#goOn(isUnanswered)
    this.#headers = new FetchHeaders({
      ...parts,
      tip: () => this.#slots.tip ?? this.#head(),
      isAtHead: () => this.#slots.count === 0,
      onHeaders: (headers, from) => this.#slots.add(headers, from),
      goOn,
    })
    this.#bodies = new FetchBodies({
      ...parts,
      keccak: parts.crypto.keccak,
      slots: () => this.#slots,
      onMadeUp: () => this.#reset(),
      goOn,
    })
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
    const head = this.#head().number
    const highest = this.#highest()
    if (highest >= 0 && highest <= head) this.#hasCaughtUp = true
    const behind = this.#highestClaim() - head
    if (behind <= 0) {
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
        if (this.#highestClaim() > this.#head().number) this.#pump()
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
    this.#slots = new BlockSlots()
    this.#waiting = undefined
  }

  #pump(): void {
    this.#startingBlock ??= this.#head().number
    this.#dropStale()
    if (!this.#slots.isFull) this.#headers.ask()
    this.#bodies.ask()
    this.#import()
  }

  /** Blocks came another way meanwhile: what is in hand no longer follows the head. */
  #dropStale(): void {
    const head = this.#head()
    const tip = this.#slots.tip
    const isUnderWay = this.#importing !== undefined || this.#waiting !== undefined
    if (tip === undefined || isUnderWay) return
    const conflict = this.#slots.conflictWith(head)
    if (conflict !== undefined) {
      const sentence = `The peer shows header ${head.number} with the hash ${conflict.hash}, and our chain has ${head.hash}.`
      conflict.from.disconnect('uselessPeer', sentence)
    }
    if (conflict !== undefined || tip.number <= head.number) this.#reset()
  }

  /** Not at once where nobody could be asked: whoever cannot take a question now cannot take it in the same turn. */
  #goOn(isUnanswered: boolean): void {
    this.#later(isUnanswered ? ASK_AGAIN_MS : 0)
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
      await this.#onRefused(part.shown[answer.imported]!, answer.sentence ?? 'No reason was given.')
      return
    }
    this.#tell(part.tip)
  }

  async #onRefused({ from, ...refused }: ShownHeader, sentence: string): Promise<void> {
    const { clock, log } = this.#parts
    if (isAhead(refused.header, clock) && (await this.#isSealed(refused))) {
      // Its time is right for a quorum of validators, so the clock of this node is wrong.
      log.warn('A block of a peer is ahead of the clock of this node; it is tried again.', { why: sentence })
      this.#later(RETRY_MS)
      return
    }
    log.warn('A peer sent an invalid block.', { id: from.id, why: sentence })
    from.disconnect('breachOfProtocol', `A block of the peer is invalid. ${sentence}`)
  }

  async #isSealed(block: KnownHeader): Promise<boolean> {
    const { chain, seals } = this.#parts
    const parent = chain.lookup.header(block.header.parentHash)
    return parent !== undefined && (await seals.refuse([block], parent)) === undefined
  }

  #tell({ number }: ChainTip): void {
    const { clock, log } = this.#parts
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#loggedMs < PROGRESS_LOG_MS) return
    this.#loggedMs = nowMs
    log.info(`Imported blocks up to ${number} of ${this.#highest()}`, { peers: this.#parts.peers().length })
  }

  /** What peers say, as long as they show it. */
  #highest(): number {
    return heightOf(this.#parts.peers().filter(({ isDoubted }) => !isDoubted))
  }

  #highestClaim(): number {
    return heightOf(this.#parts.peers())
  }

  /** What is durable, which may be newer than what was announced here. */
  #head(): ChainTip {
    return tipOf(this.#parts.chain.storedHead())
  }
}

function heightOf(peers: readonly EthPeer[]): number {
  return peers.reduce((highest, { height }) => Math.max(highest, height), -1)
}

/** Of each block; none where one is impossible: the writer finds that too, and says which. */
async function recoverSenders(
  blocks: readonly (readonly Transaction[])[],
  crypto: Crypto,
): Promise<readonly (readonly Address[])[]> {
  const beside = await crypto.recoverBeside?.(blocks.flat())
  let at = 0
  return blocks.map((transactions) => {
    const senders: Address[] = []
    for (const transaction of transactions) {
      const sender = beside === undefined ? recoverOne(transaction, crypto) : beside[at++]
      if (sender !== undefined) senders.push(sender)
    }
    return senders.length === transactions.length ? senders : []
  })
}
