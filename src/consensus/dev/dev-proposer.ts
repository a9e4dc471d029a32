/**
 * Produces the blocks of the development network, alone: one whenever a transaction arrives, or one every few seconds, even
 * without transactions.
 */
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import {
  type Candidate,
  type CandidateSource,
  type LeftOut,
  type SelectionOrder,
  selectEach,
} from '#chain/build/candidates.ts'
import type { UpcomingBlock } from '#chain/read/call-site.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { AccountEdit } from '#chain/write/create-chain.ts'
import type { HeadChange } from '#chain/write/head-change.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { bftExtraData } from '#consensus/block-work.ts'
import { consensusFault } from '#consensus/faults.ts'
import { CONSENSUS_PROBLEMS } from '#consensus/log-problems.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { shareBytes } from '#platform/share-bytes.ts'
import type { Signal } from '#platform/signal.ts'
import type { Address } from '#types/address.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { type Hash, hashFromBytes, hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { MiningRequest } from './contract.ts'

const SECOND_MS = 1_000
/** Pause after a failed block. */
const RETRY_MS = 1_000

export interface DevProposerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  readonly writer: Pick<
    ChainWriter,
    'build' | 'importBlock' | 'edit' | 'snapshot' | 'revert' | 'reset' | 'head'
  >
  readonly headMoved: Pick<Signal<HeadChange>, 'subscribe'>
  readonly candidates: CandidateSource
  /** Emitted after the candidates contain the new transactions. */
  readonly added: Pick<Signal<unknown>, 'subscribe'>
  /** Whether the pool has transactions. */
  readonly hasWaiting: () => boolean
  readonly building: () => Pick<BuildingSettings, 'targetGasLimit' | 'extraData'>
  readonly coinbase: Address
  /** Given for the copy of a BFT network's chain, whose blocks name validators. */
  readonly bft?: { readonly config: GenesisConfig; readonly fixedBaseFeeWei: bigint }
  /** 0 makes a block whenever a transaction arrives, and none without. */
  readonly periodSeconds: number
  /** Set by --block-txs-selection-max-time. */
  readonly budgetMs: number
}

/** Fields that requests set for the next block only. Later blocks derive their gas limit and base fee from it. */
export interface NextBlockFields {
  readonly gasLimit?: bigint
  readonly baseFeeWei?: bigint
  /** Read by contracts as PREVRANDAO. */
  readonly mixHash?: Hash
}

export interface RunningDevProposer {
  /** Resolves when `isWaiting` is false or no block is under way. Without instant blocks, at once. */
  settled(isWaiting: () => boolean): Promise<void>
  /** Whether every transaction gets a block at once. */
  automines(): boolean
  /** Switches automining off or on. Without instant blocks, it has no effect. Off, it waits for the block under way. */
  setAutomine(isOn: boolean): Promise<void>
  /** Produces a block every few seconds. With 0, blocks follow transactions, if automining is on. */
  setPeriod(seconds: number): void
  /** Sets the seconds between the times of blocks; undefined follows the clock again. */
  setTimestampInterval(seconds: number | undefined): void
  setCoinbase(coinbase: Address): void
  /** Sets fields of the next block. */
  setNextBlock(fields: NextBlockFields): void
  /** The next block as it would be built now. */
  nextBlock(): UpcomingBlock
  /** Adds seconds to the time of later blocks. Returns how far they are ahead of the clock. */
  increaseTime(seconds: number): number
  /** Sets the time of the next block. Returns false if it is not after the last one. */
  setNextTimestamp(timestamp: number): boolean
  /** Edits accounts, between two blocks. The next block contains the edits. */
  edit(edits: readonly AccountEdit[]): Promise<void>
  /** Records the state after the blocks under way, and returns its id. */
  snapshot(): Promise<number>
  /** Rewinds to a snapshot, whose time continues. Returns false if it is not known or not on the chain. */
  revert(id: number): Promise<boolean>
  /** Rewinds to block 0 and forgets edits, snapshots and settings. */
  reset(): Promise<void>
  /** Produces blocks now, one after the other, also empty ones. Rejects if one of them fails. */
  mine(request: MiningRequest): Promise<void>
  /** Resolves when the current block is done. */
  stop(): Promise<void>
}

export async function startDevProposer(options: DevProposerOptions): Promise<RunningDevProposer> {
  const proposer = new DevProposer(options, await options.writer.head())
  const unsubscribe = [
    options.headMoved.subscribe((head) => proposer.headMoved(head)),
    options.added.subscribe(() => proposer.transactionsCame()),
  ]
  proposer.start()
  return {
    settled: (isWaiting) => proposer.settled(isWaiting),
    automines: () => proposer.automines,
    setAutomine: (isOn) => proposer.setAutomine(isOn),
    setPeriod: (seconds) => proposer.setPeriod(seconds),
    setTimestampInterval: (seconds) => {
      proposer.intervalSeconds = seconds
    },
    setCoinbase: (coinbase) => {
      proposer.coinbase = coinbase
    },
    setNextBlock: (fields) => proposer.setNextBlock(fields),
    nextBlock: () => proposer.nextBlock(),
    reset: () => proposer.reset(),
    mine: (request) => proposer.mine(request),
    increaseTime: (seconds) => proposer.increaseTime(seconds),
    setNextTimestamp: (timestamp) => proposer.setNextTimestamp(timestamp),
    edit: (edits) => proposer.edit(edits),
    snapshot: () => proposer.snapshot(),
    revert: (id) => proposer.revert(id),
    stop: async () => {
      for (const each of unsubscribe) each()
      await proposer.stop()
    },
  }
}

interface MakeOptions {
  /** Whether the block may be empty. */
  readonly isForced?: boolean
  /** By default the time of the clock. */
  readonly timestamp?: number | undefined
}

class DevProposer {
  coinbase: Address
  /** Seconds between the times of blocks, if a request set it. */
  intervalSeconds: number | undefined
  readonly #options: DevProposerOptions
  #head: AnnouncedHead
  #periodSeconds: number
  #next: NextBlockFields = {}
  #timer: Timer | undefined
  /** The running production of blocks, one after the other; undefined if idle. */
  #work: Promise<void> | undefined
  #isWanted = false
  #isAutomining = true
  /** Seconds by which the time of blocks is ahead of the clock. */
  #aheadSeconds = 0
  /** The time of the next block, if a request set it. */
  #nextTimestamp: number | undefined
  /** Resolves after the next attempt at a block, and when the work ends. */
  #attempted = Promise.withResolvers<void>()
  /** Resolves with the next head. */
  #moved = Promise.withResolvers<void>()
  readonly #stopped = new AbortController()

  constructor(options: DevProposerOptions, head: AnnouncedHead) {
    this.#options = options
    this.#head = head
    this.#periodSeconds = options.periodSeconds
    this.coinbase = options.coinbase
  }

  get automines(): boolean {
    return this.#isInstant && this.#isAutomining
  }

  async setAutomine(isOn: boolean): Promise<void> {
    this.#isAutomining = isOn
    if (this.automines) this.#want()
    // A block under way would take transactions that come after the answer.
    else await this.#work
  }

  setPeriod(seconds: number): void {
    this.#periodSeconds = seconds
    this.#timer?.cancel()
    if (!this.#isInstant) this.#wait()
    else if (this.automines) this.#want()
  }

  nextBlock(): UpcomingBlock {
    const { timestamp, coinbase, mixHash, exact } = this.#template(this.#chosenTime)
    return { timestamp, coinbase, mixHash, ...exact }
  }

  setNextBlock(fields: NextBlockFields): void {
    this.#next = { ...this.#next, ...fields }
  }

  get #isInstant(): boolean {
    return this.#periodSeconds === 0
  }

  start(): void {
    // Transactions restored to the pool must not wait for another one.
    if (this.#isInstant) this.#want()
    else this.#wait()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#timer?.cancel()
    this.#moved.resolve()
    await this.#work
  }

  headMoved(head: AnnouncedHead): void {
    this.#head = head
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
    if (!this.#isInstant && this.#work === undefined) this.#wait()
  }

  transactionsCame(): void {
    if (this.automines) this.#want()
  }

  async settled(isWaiting: () => boolean): Promise<void> {
    while (this.automines && this.#work !== undefined && isWaiting()) await this.#attempted.promise
  }

  async mine({ blocks, intervalSeconds, timestamp }: MiningRequest): Promise<void> {
    for (let made = 0; made < blocks; made++) {
      await this.#alone(async () => {
        const time = made === 0 ? timestamp : this.#head.timestamp + Math.max(1, intervalSeconds)
        await this.#make({ isForced: true, timestamp: time })
      })
    }
  }

  increaseTime(seconds: number): number {
    // Several blocks per second run ahead of the clock, and the time is added to the last one.
    this.#aheadSeconds = Math.max(this.#aheadSeconds, this.#head.timestamp - this.#clockSeconds) + seconds
    return this.#aheadSeconds
  }

  setNextTimestamp(timestamp: number): boolean {
    if (timestamp <= this.#head.timestamp) return false
    this.#nextTimestamp = timestamp
    return true
  }

  edit(edits: readonly AccountEdit[]): Promise<void> {
    return this.#alone(async () => {
      const { sequence } = this.#head
      await this.#options.writer.edit(edits)
      await this.#headAfter(sequence)
      // A waiting transaction may have become executable.
      if (this.automines && this.#options.hasWaiting()) this.#isWanted = true
    })
  }

  snapshot(): Promise<number> {
    return this.#alone(() => this.#options.writer.snapshot())
  }

  revert(id: number): Promise<boolean> {
    return this.#alone(async () => {
      const { sequence } = this.#head
      const isReverted = await this.#options.writer.revert(id)
      if (!isReverted) return false
      await this.#headAfter(sequence)
      this.#nextTimestamp = undefined
      this.#aheadSeconds = Math.max(0, this.#head.timestamp - this.#clockSeconds)
      return true
    })
  }

  async reset(): Promise<void> {
    await this.#alone(async () => {
      const { sequence } = this.#head
      await this.#options.writer.reset()
      await this.#headAfter(sequence)
      this.#nextTimestamp = undefined
      this.#aheadSeconds = 0
      this.#next = {}
      this.intervalSeconds = undefined
      this.coinbase = this.#options.coinbase
      this.#isAutomining = true
      this.#periodSeconds = this.#options.periodSeconds
    })
  }

  /** Runs `work` when no block is under way, and then continues with the transactions that came meanwhile. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#work !== undefined) await this.#work
    const running = work()
    this.#work = running.then(
      () => undefined,
      () => undefined,
    )
    await this.#work
    this.#work = undefined
    this.#endAttempt()
    if (this.#isWanted) this.#want()
    else if (!this.#isInstant) this.#wait()
    return await running
  }

  /** The answer of the writer may be faster than the event of the head, which the pool and the next block need. */
  async #headAfter(sequence: number): Promise<void> {
    while (this.#head.sequence === sequence && !this.#stopped.signal.aborted) await this.#moved.promise
  }

  #endAttempt(): void {
    this.#attempted.resolve()
    this.#attempted = Promise.withResolvers()
  }

  /** Waits until the next block is due. */
  #wait(): void {
    const { clock } = this.#options
    const dueMs = (this.#head.timestamp + this.#periodSeconds - this.#aheadSeconds) * SECOND_MS
    this.#after(dueMs - clock.wallMs())
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
      this.#endAttempt()
    })
  }

  async #makeWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#stopped.signal.aborted) {
      this.#isWanted = false
      try {
        if (await this.#make()) this.#isWanted = true
        this.#endAttempt()
        if (!this.#isInstant) this.#wait()
      } catch (err) {
        if (this.#stopped.signal.aborted) return
        this.#options.log.error(CONSENSUS_PROBLEMS.devBlockFailed, { err })
        this.#after(RETRY_MS)
        return
      }
    }
  }

  /** Returns whether there are transactions for another block already. */
  async #make({ isForced = false, timestamp }: MakeOptions = {}): Promise<boolean> {
    const { writer, candidates, log } = this.#options
    const selection = new FollowedSelection(candidates)
    const { signal } = this.#stopped
    const { sequence } = this.#head
    const chosen = timestamp ?? this.#chosenTime
    const next = this.#next
    const built = await writer.build(this.#template(chosen), selection, {
      budgetMs: this.#budgetMs,
      signal,
    })
    const { hash, transactions } = built
    if (this.#isInstant && !isForced && transactions === 0) return false
    const verdict = await writer.importBlock(await shareBytes(built.block), 'none')
    if (!verdict.ok) throw consensusFault('OWN_BLOCK_REFUSED', { sentence: verdict.sentence })
    // The head changed meanwhile, by debug_setHead or an import, so the transactions are selected again.
    if (verdict.status !== 'imported') return this.#isInstant
    await this.#headAfter(sequence)
    if (chosen !== undefined) this.#aheadSeconds = chosen - this.#clockSeconds
    if (chosen === this.#nextTimestamp) this.#nextTimestamp = undefined
    if (this.#next === next) this.#next = {}
    log.debug('Built block', { number: this.#head.number, hash, transactions })
    return this.#isInstant && selection.hasMoreThan(transactions)
  }

  /** The time that requests chose for the next block. */
  get #chosenTime(): number | undefined {
    if (this.#nextTimestamp !== undefined || this.intervalSeconds === undefined) return this.#nextTimestamp
    return this.#head.timestamp + this.intervalSeconds
  }

  get #clockSeconds(): number {
    return Math.floor(this.#options.clock.wallMs() / SECOND_MS)
  }

  get #budgetMs(): number {
    const { budgetMs } = this.#options
    return this.#isInstant ? budgetMs : Math.min(budgetMs, this.#periodSeconds * SECOND_MS)
  }

  /** Several blocks per second run ahead of the clock, because a block must be later than its parent. */
  #template(chosen: number | undefined): BlockTemplate {
    const { keccak, building, bft } = this.#options
    const { coinbase } = this
    const { mixHash, ...exact } = this.#next
    const { hash, timestamp, number } = this.#head
    const { targetGasLimit, extraData } = building()
    const timestampSeconds = Math.max(timestamp + 1, chosen ?? this.#clockSeconds + this.#aheadSeconds)
    const proposal = { parent: hash, timestamp: BigInt(timestampSeconds), coinbase, targetGasLimit }
    if (bft !== undefined) {
      const order = { height: number + 1, round: 0, timestampSeconds, validators: [coinbase] }
      const named = bftExtraData({ config: bft.config, building, nextVote: () => null }, order)
      const template = bftTemplate({ ...proposal, extraData: named, fixedBaseFeeWei: bft.fixedBaseFeeWei })
      return { ...template, exact }
    }
    return {
      ...proposal,
      extraData,
      difficulty: 0n,
      // Read by contracts as PREVRANDAO: different in every block and the same on every run.
      mixHash: mixHash ?? hashFromBytes(keccak(hashToBytes(hash))),
      exact,
      nonce: 0n,
      fixedBaseFeeWei: undefined,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_HASH,
    }
  }
}

/** Skipped transactions that may fit into the next block. */
const FOR_ANOTHER_BLOCK: ReadonlySet<LeftOut['reason']> = new Set([
  'BLOCK_SELECTION_TIMEOUT',
  'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE',
  'TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS',
  'TX_TOO_LARGE_FOR_REMAINING_GAS',
])

/** Counts candidates, to know whether another block has something to include. */
class FollowedSelection implements CandidateSource {
  readonly #source: CandidateSource
  #offered = 0
  #isExhausted = false
  #leftOut = 0
  #hasOthers = false

  constructor(source: CandidateSource) {
    this.#source = source
  }

  /** Called after a block. Candidates come in slices, and the block may be full before the end of one. */
  hasMoreThan(transactions: number): boolean {
    return !this.#isExhausted || this.#hasOthers || this.#offered > transactions + this.#leftOut
  }

  async *select(order: SelectionOrder): AsyncGenerator<Candidate> {
    for await (const candidate of selectEach(this.#source, order)) {
      this.#offered++
      yield candidate
    }
    this.#isExhausted = true
  }

  leftOut(candidates: readonly LeftOut[]): void {
    this.#leftOut = candidates.length
    this.#hasOthers = candidates.some(({ reason }) => FOR_ANOTHER_BLOCK.has(reason))
    this.#source.leftOut(candidates)
  }
}
