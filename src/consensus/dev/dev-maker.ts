/**
 * The maker of the development network: this node alone, and nobody is asked. A block is made when a transaction comes, or
 * one every few seconds, whether transactions came or not.
 */
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import type { HeadBlock, HeadNews } from '#chain/write/head-news.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import { consensusFault } from '#consensus/faults.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { shareBytes } from '#platform/share-bytes.ts'
import type { Signal } from '#platform/signal.ts'
import type { Address } from '#types/address.ts'
import { hashFromBytes, hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { FollowedSelection } from './follow-selection.ts'

const SECOND_MS = 1_000
/** After a block that could not be made. */
const RETRY_MS = 1_000

export interface DevMakerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  readonly writer: Pick<ChainWriter, 'build' | 'importBlock' | 'head'>
  readonly headMoved: Pick<Signal<HeadNews>, 'subscribe'>
  readonly candidates: CandidateSource
  /** Transactions that came, after the candidates know of them. */
  readonly added: Pick<Signal<unknown>, 'subscribe'>
  readonly building: () => Pick<BuildingSettings, 'targetGasLimit' | 'extraData'>
  readonly coinbase: Address
  /** 0: a block whenever a transaction comes, and none without. */
  readonly periodSeconds: number
  /** --block-txs-selection-max-time. */
  readonly budgetMs: number
}

export interface RunningDevMaker {
  /** When the block that is being made is there. */
  stop(): Promise<void>
}

export async function startDevMaker(options: DevMakerOptions): Promise<RunningDevMaker> {
  const maker = new DevMaker(options, await options.writer.head())
  const unsubscribe = [
    options.headMoved.subscribe((head) => maker.headMoved(head)),
    options.added.subscribe(() => maker.transactionsCame()),
  ]
  maker.start()
  return {
    stop: async () => {
      for (const each of unsubscribe) each()
      await maker.stop()
    },
  }
}

class DevMaker {
  readonly #options: DevMakerOptions
  #head: HeadBlock
  #timer: Timer | undefined
  /** The blocks that are being made one after the other; undefined: none is. */
  #work: Promise<void> | undefined
  #isWanted = false
  readonly #stopped = new AbortController()

  constructor(options: DevMakerOptions, head: HeadBlock) {
    this.#options = options
    this.#head = head
  }

  get #isInstant(): boolean {
    return this.#options.periodSeconds === 0
  }

  start(): void {
    // What was restored to the pool waits for no further transaction.
    if (this.#isInstant) this.#want()
    else this.#wait()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#timer?.cancel()
    await this.#work
  }

  headMoved(head: HeadBlock): void {
    this.#head = head
    if (!this.#isInstant && this.#work === undefined) this.#wait()
  }

  transactionsCame(): void {
    if (this.#isInstant) this.#want()
  }

  /** For the time of the next block. */
  #wait(): void {
    const { clock, periodSeconds } = this.#options
    const dueMs = (this.#head.timestamp + periodSeconds) * SECOND_MS
    this.#after(Math.max(0, dueMs - clock.wallMs()))
  }

  #after(ms: number): void {
    if (this.#stopped.signal.aborted) return
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(ms, () => this.#want())
  }

  #want(): void {
    this.#isWanted = true
    this.#work ??= this.#makeWhileWanted().finally(() => {
      this.#work = undefined
    })
  }

  async #makeWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#stopped.signal.aborted) {
      this.#isWanted = false
      try {
        if (await this.#make()) this.#isWanted = true
        if (!this.#isInstant) this.#wait()
      } catch (err) {
        if (this.#stopped.signal.aborted) return
        this.#options.log.error('A block could not be made; it is tried again.', { err })
        this.#after(RETRY_MS)
        return
      }
    }
  }

  /** Whether there is something for another block already. */
  async #make(): Promise<boolean> {
    const { writer, candidates, log } = this.#options
    const selection = new FollowedSelection(candidates)
    const { signal } = this.#stopped
    const built = await writer.build(this.#template(), selection, { budgetMs: this.#budgetMs, signal })
    const { hash, transactions } = built
    if (this.#isInstant && transactions === 0) return false
    const verdict = await writer.importBlock(await shareBytes(built.block), 'full')
    if (!verdict.ok) throw consensusFault('OWN_BLOCK_REFUSED', { sentence: verdict.sentence })
    // Another head came meanwhile, by debug_setHead or an import: what was chosen is chosen again.
    if (verdict.status !== 'imported') return this.#isInstant
    log.info('A block was made.', { number: this.#head.number, hash, transactions })
    return this.#isInstant && selection.hasMoreThan(transactions)
  }

  get #budgetMs(): number {
    const { periodSeconds, budgetMs } = this.#options
    return this.#isInstant ? budgetMs : Math.min(budgetMs, periodSeconds * SECOND_MS)
  }

  /** Several blocks in a second go ahead of the clock: the time of a block is later than its parent's. */
  #template(): BlockTemplate {
    const { clock, keccak, building, coinbase } = this.#options
    const { hash, timestamp } = this.#head
    const { targetGasLimit, extraData } = building()
    return {
      parent: hash,
      timestamp: BigInt(Math.max(timestamp + 1, Math.floor(clock.wallMs() / SECOND_MS))),
      coinbase,
      extraData,
      difficulty: 0n,
      // What code reads as PREVRANDAO: another one in every block, and the same on every run.
      mixHash: hashFromBytes(keccak(hashToBytes(hash))),
      nonce: 0n,
      targetGasLimit,
      fixedBaseFeeWei: undefined,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_HASH,
    }
  }
}
