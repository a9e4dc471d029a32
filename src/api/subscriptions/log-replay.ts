/**
 * Past logs of a subscription, read from the store in slices at the client's pace, until the subscription is at the
 * head and the follower takes over. Every log is reported once, even during a reorg.
 */

import { headerOf, isInRange } from '#api/filters/filter-changes.ts'
import { API_PROBLEMS } from '#api/log-problems.ts'
import { keptLogText, logText } from '#api/present/log-text.ts'
import type { LogQuery } from '#api/schema/log-filter.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import type { Subscription } from '#jsonrpc/subscriptions/subscriptions.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Hash } from '#types/hash.ts'
import { markOf } from './head-step.ts'

/** Limits of one slice; then the next replay has its turn. */
const SLICE_BLOCKS = 4_096
const SLICE_BATCHES = 32
const SLICE_REMOVED_BLOCKS = 8

export interface ReplayRequest {
  readonly subscription: Subscription
  readonly query: LogQuery
  readonly from: number
  /** Called once the subscriber was notified of everything up to `position`. */
  join(position: HeadMark): void
}

/** `behind`: the client has to catch up first. */
type SliceEnd = 'more' | 'behind' | 'done'

class Replay {
  readonly #chain: ChainView
  readonly #request: ReplayRequest
  #next: number
  /** The block before `next`; undefined if there were no notifications yet. */
  #last: Hash | undefined

  constructor(chain: ChainView, request: ReplayRequest) {
    this.#chain = chain
    this.#request = request
    this.#next = request.from
  }

  get subscription(): Subscription {
    return this.#request.subscription
  }

  async slice(): Promise<SliceEnd> {
    if (!this.#goBack()) return 'more'
    const chain = this.#chain
    if (!chain.lookup.isCanonical(chain.head().hash)) chain.catchUp()
    const head = markOf(chain.head())
    if (this.#next > head.number) {
      this.#request.join(this.#last === undefined ? head : { number: this.#next - 1, hash: this.#last })
      return 'done'
    }
    const end = chain.lookup.header(Math.min(head.number, this.#next + SLICE_BLOCKS - 1))
    return end === undefined ? 'more' : await this.#readTo(Number(end.header.number), end.hash)
  }

  /** Reports logs of blocks that left the chain since they were reported. Returns false if there are more. */
  #goBack(): boolean {
    const { lookup } = this.#chain
    for (let blocks = 0; this.#last !== undefined && !lookup.isCanonical(this.#last); blocks++) {
      if (blocks === SLICE_REMOVED_BLOCKS) return false
      for (const found of lookup.logsOf(this.#last, this.#request.query)) this.#tell(found, true)
      this.#next--
      this.#last =
        this.#next > this.#request.from ? headerOf(lookup, this.#last).header.parentHash : undefined
    }
    return true
  }

  async #readTo(toBlock: number, endHash: Hash): Promise<SliceEnd> {
    const { lookup } = this.#chain
    const { subscription } = this
    let batches = 0
    for await (const found of lookup.logs({ fromBlock: this.#next, toBlock }, this.#request.query)) {
      if (!subscription.isOpen) return 'done'
      // While the last block is canonical, so are all before it, and so was everything read of them.
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
    return this.#last === undefined || this.#chain.lookup.isCanonical(this.#last)
  }

  #tell(found: FoundLog, isRemoved: boolean): void {
    if (!isInRange(found.block, this.#request.query)) return
    this.subscription.notify(isRemoved ? logText(found, true) : keptLogText(found))
  }
}

/** One slice at a time: many replays take longer but delay nothing else. */
export class LogReplays {
  readonly #chain: ChainView
  readonly #log: Log
  readonly #ready: Replay[] = []
  #isWorking = false

  constructor({ chain, log }: { readonly chain: ChainView; readonly log: Log }) {
    this.#chain = chain
    this.#log = log
  }

  start(request: ReplayRequest): void {
    this.#queue(new Replay(this.#chain, request))
  }

  #queue(replay: Replay): void {
    this.#ready.push(replay)
    if (!this.#isWorking) void this.#work()
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isWorking = true
    // The answer with the subscription id comes first.
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
      this.#log.error(API_PROBLEMS.logReplayFailed, { err })
    }
  }
}
