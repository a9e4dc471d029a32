/**
 * Builds a block before the machine asks for it. The machine announces the block and its time; the build starts just early
 * enough to be done then. When all candidates are executed, it waits for transactions that arrive late, appends them and
 * completes the block. The machine does not know about this: it asks when the block is due and gets the prepared one.
 */
import type { WaitForMore } from '#chain/build/candidates.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Hash } from '#types/hash.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import type { BuildOrder } from './driver-parts.ts'

/** Load varies from block to block, so the slowest of these builds is the estimate. */
const RECENT_BUILDS = 8
/** Fewer, because late transactions miss the block if the estimate is too long. */
const RECENT_COMPLETIONS = 3
const MARGIN = 1.25
/** Faster builds start when the block is due. */
const MIN_LEAD_MS = 8
/** How long an empty block waits for its late request. */
const GRACE_MS = 20
/** Maximum lead as a fraction of the period; the rest is for transactions to arrive. */
const MAX_LEAD = 0.5

export type BuildBlock = (
  order: BuildOrder,
  signal: AbortSignal,
  waitForMore?: WaitForMore,
) => Promise<ProposedBlock>

/** When the block will be requested. */
export interface Due {
  readonly inMs: number
  readonly periodMs: number
}

interface Ahead {
  readonly order: BuildOrder
  readonly cancel: AbortController
  readonly dueMs: number
  timer: Timer
  isRequested: boolean
  /** Whether the block takes transactions that arrived before its request. */
  isUpToDate: boolean
  /** Ends the wait for late transactions. */
  endWait: () => void
  block: Promise<ProposedBlock> | undefined
}

export class BuildAhead {
  readonly #clock: Clock
  readonly #build: BuildBlock
  readonly #recentMs = new RecentTimes(RECENT_BUILDS)
  /** Times to append late transactions and complete the block. */
  readonly #completionsMs = new RecentTimes(RECENT_COMPLETIONS)
  #ahead: Ahead | undefined

  constructor(clock: Clock, build: BuildBlock) {
    this.#clock = clock
    this.#build = build
  }

  /** Announces a block; a repeated announcement may change the time. */
  expect(order: BuildOrder, due: Due): void {
    if (this.#ahead?.block !== undefined && isSame(this.#ahead.order, order)) return
    this.cancel()
    const leadMs = this.#leadMs(due)
    if (leadMs < MIN_LEAD_MS) return
    const start = (): void => {
      ahead.block = this.#buildAhead(ahead)
      // `build` reports the error.
      ahead.block.catch(() => undefined)
    }
    const timer = this.#clock.after(due.inMs - leadMs, start)
    const dueMs = this.#clock.monotonicMs() + due.inMs
    const cancel = new AbortController()
    const ahead: Ahead = {
      order,
      cancel,
      dueMs,
      timer,
      isRequested: false,
      isUpToDate: false,
      endWait: () => undefined,
      block: undefined,
    }
    this.#ahead = ahead
  }

  /** Returns the prepared block, unless it is empty and transactions may have arrived since. */
  async build(order: BuildOrder, signal: AbortSignal): Promise<ProposedBlock> {
    const ahead = this.#ahead
    if (ahead?.block === undefined || !isSame(ahead.order, order)) {
      this.cancel()
      return this.#timed(order, signal)
    }
    const stop = (): void => ahead.cancel.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      ahead.isRequested = true
      ahead.endWait()
      const block = await ahead.block
      signal.throwIfAborted()
      if (ahead.isUpToDate || transactionCount(block) > 0) return block
    } catch (error) {
      if (signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
    return this.#timed(order, signal)
  }

  /** Cancels a build on another parent. */
  onHead(parent: Hash): void {
    if (this.#ahead?.order.parent !== parent) this.cancel()
  }

  cancel(): void {
    this.#ahead?.timer.cancel()
    this.#ahead?.cancel.abort()
    this.#ahead = undefined
  }

  async #buildAhead(ahead: Ahead): Promise<ProposedBlock> {
    const startMs = this.#clock.monotonicMs()
    let waitedMs = 0
    let completionFromMs: number | undefined
    const waitForMore = async (executed: number): Promise<boolean> => {
      const fromMs = this.#clock.monotonicMs()
      const isEmpty = executed === 0
      const waitMs = isEmpty ? this.#graceMs(ahead) : this.#spareMs(ahead, fromMs - startMs)
      await this.#wait(ahead, waitMs)
      // A late block takes late transactions only if it would be empty without them.
      const hasMore = isEmpty || (waitMs > 0 && !ahead.isRequested)
      ahead.isUpToDate = hasMore && ahead.isRequested
      const nowMs = this.#clock.monotonicMs()
      waitedMs = nowMs - fromMs
      if (hasMore) completionFromMs = nowMs
      return hasMore
    }
    const block = await this.#build(ahead.order, ahead.cancel.signal, waitForMore)
    const endMs = this.#clock.monotonicMs()
    this.#recentMs.add(endMs - startMs - waitedMs)
    if (completionFromMs !== undefined) this.#completionsMs.add(endMs - completionFromMs)
    return block
  }

  /**
   * A block without transactions is completed at once, so it can wait for the request. The writer does nothing else until
   * then, so a request that does not come ends the wait too.
   */
  #graceMs({ dueMs }: Ahead): number {
    return dueMs + GRACE_MS - this.#clock.monotonicMs()
  }

  /** The time until the completion of the block must begin. */
  #spareMs({ dueMs }: Ahead, executionMs: number): number {
    // Roots and receipts take about as long as the execution, so a larger block than the last ones gets more time.
    const completionMs = Math.max(this.#completionsMs.slowest, executionMs) * MARGIN
    return dueMs - this.#clock.monotonicMs() - Math.max(completionMs, MIN_LEAD_MS)
  }

  /** Waits until the block is requested, but not longer than this. */
  async #wait(ahead: Ahead, ms: number): Promise<void> {
    if (ms <= 0 || ahead.isRequested) return
    const { promise, resolve } = Promise.withResolvers<void>()
    ahead.endWait = resolve
    ahead.timer = this.#clock.after(ms, resolve)
    await promise
    ahead.timer.cancel()
  }

  #leadMs({ periodMs }: Due): number {
    return Math.min(this.#recentMs.slowest * MARGIN, periodMs * MAX_LEAD)
  }

  async #timed(order: BuildOrder, signal: AbortSignal): Promise<ProposedBlock> {
    const startMs = this.#clock.monotonicMs()
    const block = await this.#build(order, signal)
    this.#recentMs.add(this.#clock.monotonicMs() - startMs)
    return block
  }
}

/** The times of the last builds. */
class RecentTimes {
  readonly #ms: number[] = []
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  add(ms: number): void {
    this.#ms.push(ms)
    if (this.#ms.length > this.#max) this.#ms.shift()
  }

  /** 0 before the first build. */
  get slowest(): number {
    return Math.max(0, ...this.#ms)
  }
}

function isSame(a: BuildOrder, b: BuildOrder): boolean {
  const isSameTime = a.timestampSeconds === b.timestampSeconds
  return isSameTime && a.height === b.height && a.round === b.round && a.parent === b.parent
}
