/**
 * Full sync: headers from one peer, bodies from all peers, and imports by the writer, concurrently. Headers must follow the
 * chain and be sealed, and bodies must match their headers, before anything is kept. The writer validates blocks; the peer that
 * sent the header of an invalid block is disconnected. All state is in memory, so a restart begins at the head.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { ImportLine } from '#chain/writer/import-line.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { ifReadable } from '#sync/if-readable.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { NEAR_BLOCKS, type SharedProgress, type SyncProgress } from '#sync/sync-progress.ts'
import type { Address } from '#types/address.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockPart, BlockSlots, type ShownHeader } from './block-slots.ts'
import { FetchBodies } from './fetch-bodies.ts'
import { FetchHeaders } from './fetch-headers.ts'
import { type ChainTip, isAhead, tipOf } from './header-chain.ts'
import { recoverSenders } from './recover-senders.ts'
import type { SealCheck } from './seal-check.ts'

/** Pause after a peer could not be asked. */
const ASK_AGAIN_MS = 200
/** Pause after a local failure. */
const RETRY_MS = 2_000
/** Grace time for an announced block, which usually arrives without a request. */
const NEAR_MS = 400
const PROGRESS_LOG_MS = 5_000
const PRUNED_WARNING_MS = 60_000

export interface CatchUpParts {
  readonly clock: Clock
  readonly log: Log
  readonly chain: ChainView
  readonly crypto: Crypto
  readonly hashBlock: HashBlock
  readonly seals: SealCheck
  /** Peers that may be asked. */
  readonly peers: () => readonly EthPeer[]
  readonly importBlocks: ImportLine['importBlocks']
  /** Publishes the progress to other threads. */
  readonly sharedProgress: Pick<SharedProgress, 'write'>
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
  #warnedMs = Number.NEGATIVE_INFINITY
  #generation = 0
  #hasBeenInSync = false

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

  /** Returns undefined if no peer is ahead. */
  progress(): SyncProgress | undefined {
    const current = this.#head().number
    if (this.#startingBlock === undefined || this.#highest() <= current) return undefined
    return { startingBlock: this.#startingBlock, currentBlock: current, highestBlock: this.#highest() }
  }

  /** True once the node has been in sync with every peer known at start. */
  get hasBeenInSync(): boolean {
    return this.#hasBeenInSync
  }

  /**
   * Whether headers of missing blocks are kept. Mere claims of peers do not count: a lying peer must not stop this node from
   * announcing blocks and accepting transactions.
   */
  get isBehind(): boolean {
    return this.#slots.count > NEAR_BLOCKS
  }

  /** Discards headers whose bodies only this peer could send. */
  onLeft(peer: EthPeer): void {
    if (this.#slots.hasDoubted(peer)) this.#reset()
    this.wake()
  }

  /** Called when a peer joined or announced a block, or the head moved. */
  wake(): void {
    if (this.#isStopped) return
    const head = this.#head().number
    const highest = this.#highest()
    if (highest >= 0 && highest <= head) this.#hasBeenInSync = true
    const behind = this.#highestClaim() - head
    if (behind <= 0) this.#finish()
    else if (this.#startingBlock !== undefined || behind > NEAR_BLOCKS) this.#pump()
    else this.#later(NEAR_MS)
    this.#shareProgress()
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
        this.#shareProgress()
      },
      { unref: true },
    )
  }

  #shareProgress(): void {
    this.#parts.sharedProgress.write(this.progress())
  }

  #finish(): void {
    if (this.#startingBlock === undefined) return
    const { number } = this.#head()
    this.#parts.log.info('In sync', { number })
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
    this.#warnOfPrunedPeers()
    if (!this.#slots.isFull) this.#headers.ask()
    this.#bodies.ask()
    this.#import()
  }

  /** Discards everything if blocks arrived another way and the kept headers no longer follow the head. */
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

  /** Waits a little if a peer could not be asked, since it cannot take a request in the same turn either. */
  #goOn(isUnanswered: boolean): void {
    this.#later(isUnanswered ? ASK_AGAIN_MS : 0)
  }

  /** Recovers the senders of the next part while the writer executes the current one. */
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
        this.#parts.log.warn(SYNC_PROBLEMS.importFailed, { err })
        this.#reset()
        this.#later(RETRY_MS)
      })
      .finally(() => {
        this.#importing = undefined
        if (this.#timer === undefined) this.wake()
      })
    // Prepares the next part meanwhile.
    this.#import()
  }

  async #importPart(
    part: BlockPart,
    senders: Promise<readonly (readonly Address[])[]>,
    generation: number,
  ): Promise<void> {
    const remaining = this.#slots.count + (this.#waiting?.part.blocks.length ?? 0)
    const { blocks, shown } = part
    const headers = shown.map(({ hash, header }) => ({ hash, header }))
    const answer = await this.#parts.importBlocks({ blocks, headers, senders: await senders, remaining })
    if (!answer.ok) {
      if (generation === this.#generation) this.#reset()
      await this.#onRefused(shown[answer.imported]!, answer.sentence)
      return
    }
    this.#tell(part.tip)
  }

  async #onRefused({ from, ...refused }: ShownHeader, sentence: string): Promise<void> {
    const { clock, log } = this.#parts
    if (isAhead(refused.header, clock) && (await this.#isSealed(refused))) {
      // A quorum of validators accepted the time, so the clock of this node is wrong.
      log.warn(SYNC_PROBLEMS.blockAheadOfClock, { reason: sentence })
      this.#later(RETRY_MS)
      return
    }
    log.warn(SYNC_PROBLEMS.invalidBlock, { id: from.id, reason: sentence })
    from.disconnect('breachOfProtocol', `A block of the peer is invalid. ${sentence}`)
  }

  async #isSealed(block: KnownHeader): Promise<boolean> {
    const { chain, seals } = this.#parts
    const parent = ifReadable(() => chain.lookup.header(block.header.parentHash))
    return parent !== undefined && (await seals.refuse([block], parent)) === undefined
  }

  /** Reports that this node cannot go on because its peers have removed the blocks that it needs. */
  #warnOfPrunedPeers(): void {
    const { clock, log, peers } = this.#parts
    const next = (this.#slots.tip ?? this.#head()).number + 1
    const ahead = peers().filter(({ height }) => height >= next)
    if (ahead.length === 0 || ahead.some((peer) => peer.claims(next))) return
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#warnedMs < PRUNED_WARNING_MS) return
    this.#warnedMs = nowMs
    log.warn(SYNC_PROBLEMS.historyPruned, {
      next,
      earliest: Math.min(...ahead.map(({ earliest }) => earliest)),
    })
  }

  #tell({ number }: ChainTip): void {
    const { clock, log } = this.#parts
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#loggedMs < PROGRESS_LOG_MS) return
    this.#loggedMs = nowMs
    log.info('Syncing', { number, highest: this.#highest(), peers: this.#parts.peers().length })
  }

  /** The highest block claimed by peers that back up their claims. */
  #highest(): number {
    return heightOf(this.#parts.peers().filter(({ isDoubted }) => !isDoubted))
  }

  #highestClaim(): number {
    return heightOf(this.#parts.peers())
  }

  /** The stored head, which may be newer than the announced one. */
  #head(): ChainTip {
    return tipOf(this.#parts.chain.storedHead())
  }
}

function heightOf(peers: readonly EthPeer[]): number {
  return peers.reduce((highest, { height }) => Math.max(highest, height), -1)
}
