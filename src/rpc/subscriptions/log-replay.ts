/**
 * Logs that a subscription asked for from a block of the past on: read from the store in slices, at the pace of whoever
 * reads them, until the subscription stands at the head and is the follower's. Nothing is told twice and
 * nothing is left out, also where the chain is reorganised meanwhile.
 */
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { LogQuery } from '#rpc/filters/filter.ts'
import { isInRange } from '#rpc/filters/filter-changes.ts'
import { keptLogText, logText } from '#rpc/present/log-text.ts'
import type { Hash } from '#types/hash.ts'
import { headerOf, markOf } from './head-step.ts'
import type { Subscription } from './subscription.ts'

/** Of one slice: then it is the turn of the next replay. */
const SLICE_BLOCKS = 4_096
const SLICE_BATCHES = 32
const SLICE_REMOVED_BLOCKS = 8

export interface ReplayParts {
  readonly chain: ChainView
  readonly log: Log
  /** The subscription was told of everything up to there. */
  readonly join: (subscription: Subscription, position: HeadMark) => void
}

/** `behind`: whoever reads has to catch up first. */
type SliceEnd = 'more' | 'behind' | 'done'

class Replay {
  readonly subscription: Subscription
  readonly #parts: ReplayParts
  readonly #query: LogQuery
  readonly #from: number
  /** The block to read next. */
  #next: number
  /** The one before it; undefined: nothing was told yet. */
  #last: Hash | undefined

  constructor(parts: ReplayParts, subscription: Subscription, query: LogQuery, from: number) {
    this.subscription = subscription
    this.#parts = parts
    this.#query = query
    this.#from = from
    this.#next = from
  }

  async slice(): Promise<SliceEnd> {
    if (!this.#goBack()) return 'more'
    const { chain, join } = this.#parts
    if (!chain.lookup.isCanonical(chain.head().hash)) chain.catchUp()
    const head = markOf(chain.head())
    if (this.#next > head.number) {
      join(this.subscription, this.#last === undefined ? head : { number: this.#next - 1, hash: this.#last })
      return 'done'
    }
    const end = chain.lookup.header(Math.min(head.number, this.#next + SLICE_BLOCKS - 1))
    return end === undefined ? 'more' : await this.#readTo(Number(end.header.number), end.hash)
  }

  /** From blocks that left the chain since they were told. False: there are more of them. */
  #goBack(): boolean {
    const { lookup } = this.#parts.chain
    for (let blocks = 0; this.#last !== undefined && !lookup.isCanonical(this.#last); blocks++) {
      if (blocks === SLICE_REMOVED_BLOCKS) return false
      for (const found of lookup.logsOf(this.#last, this.#query)) this.#tell(found, true)
      this.#next--
      this.#last = this.#next > this.#from ? headerOf(lookup, this.#last).header.parentHash : undefined
    }
    return true
  }

  async #readTo(toBlock: number, endHash: Hash): Promise<SliceEnd> {
    const { lookup } = this.#parts.chain
    const { subscription } = this
    let batches = 0
    for await (const found of lookup.logs({ fromBlock: this.#next, toBlock }, this.#query)) {
      if (!subscription.isOpen) return 'done'
      // As long as the last block is canonical, so are all before it, and so was what was read of them.
      if (!lookup.isCanonical(endHash) || !this.#isOnChain()) return 'more'
      for (const each of found) this.#tell(each, false)
      const { block } = found.at(-1)!
      this.#last = block.hash
      this.#next = Number(block.number) + 1
      if (subscription.connection.isBehind) return 'behind'
      if (++batches === SLICE_BATCHES) return 'more'
    }
    if (lookup.isCanonical(endHash) && this.#isOnChain()) {
      this.#last = endHash
      this.#next = toBlock + 1
    }
    return 'more'
  }

  #isOnChain(): boolean {
    return this.#last === undefined || this.#parts.chain.lookup.isCanonical(this.#last)
  }

  #tell(found: FoundLog, isRemoved: boolean): void {
    if (!isInRange(found.block, this.#query)) return
    this.subscription.tell(isRemoved ? logText(found, true) : keptLogText(found))
  }
}

/** One slice at a time, whoever it is for: many replays take longer and hold up nobody else. */
export class LogReplays {
  readonly #parts: ReplayParts
  readonly #ready: Replay[] = []
  #isWorking = false

  constructor(parts: ReplayParts) {
    this.#parts = parts
  }

  start(subscription: Subscription, query: LogQuery, from: number): void {
    this.#queue(new Replay(this.#parts, subscription, query, from))
  }

  #queue(replay: Replay): void {
    this.#ready.push(replay)
    if (!this.#isWorking) void this.#work()
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isWorking = true
    // The answer with the number of the subscription comes first.
    await nextTurn()
    for (let replay = this.#ready.shift(); replay !== undefined; replay = this.#ready.shift()) {
      if (!replay.subscription.isOpen) continue
      await this.#slice(replay)
      await nextTurn()
    }
    this.#isWorking = false
  }

  async #slice(replay: Replay): Promise<void> {
    const { connection } = replay.subscription
    try {
      const end = await replay.slice()
      if (end === 'more') this.#ready.push(replay)
      if (end === 'behind') void connection.caughtUp().then(() => this.#queue(replay))
    } catch (err) {
      this.#parts.log.error('A subscriber was not told of logs of the past.', { err })
    }
  }
}
