/**
 * Builds a block before the machine asks for it. The machine announces the block and its time; the build starts just early
 * enough, because transactions that arrive after it wait for the next block. If it was much faster than expected, the block is
 * built again. The machine does not know about this: it asks when the block is due and gets the prepared one.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Hash } from '#types/hash.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import type { BuildOrder } from './driver-parts.ts'

/** Load varies from block to block, so the slowest of these builds is the estimate. */
const RECENT_BUILDS = 8
const MARGIN = 1.25
/** Faster builds start when the block is due. */
const MIN_LEAD_MS = 20
/** A second build must include at least this much more time of arrivals. */
const MIN_GAIN_MS = 50
/** Maximum delay of a block for a second build, as a fraction of the period. */
const MAX_LATE = 0.025
/** Maximum lead as a fraction of the period; the rest is for transactions to arrive. */
const MAX_LEAD = 0.5

export type BuildBlock = (order: BuildOrder, signal: AbortSignal) => Promise<ProposedBlock>

/** When the block will be requested. */
export interface Due {
  readonly inMs: number
  readonly periodMs: number
}

interface Ahead {
  readonly order: BuildOrder
  readonly cancel: AbortController
  readonly dueMs: number
  readonly lateMs: number
  timer: Timer
  block: Promise<ProposedBlock> | undefined
  /** The second build; resolves with undefined if it failed. */
  again: Promise<ProposedBlock | undefined> | undefined
}

export class BuildAhead {
  readonly #clock: Clock
  readonly #build: BuildBlock
  readonly #recentMs: number[] = []
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
    const cancel = new AbortController()
    const start = (): void => {
      const startMs = this.#clock.monotonicMs()
      const block = this.#timed(order, cancel.signal)
      ahead.block = block
      block.then(
        () => this.#againLater(ahead, this.#clock.monotonicMs() - startMs),
        // `build` reports the error.
        () => undefined,
      )
    }
    const timer = this.#clock.after(Math.max(0, due.inMs - leadMs), start)
    const dueMs = this.#clock.monotonicMs() + due.inMs
    const lateMs = due.periodMs * MAX_LATE
    const ahead: Ahead = { order, cancel, dueMs, lateMs, timer, block: undefined, again: undefined }
    this.#ahead = ahead
  }

  /** Returns the prepared block, unless it is empty, because transactions may have arrived since. */
  async build(order: BuildOrder, signal: AbortSignal): Promise<ProposedBlock> {
    const ahead = this.#ahead
    if (ahead?.block === undefined || !isSame(ahead.order, order)) {
      this.cancel()
      return this.#timed(order, signal)
    }
    const stop = (): void => ahead.cancel.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const block = (await this.#second(ahead)) ?? (await ahead.block)
      signal.throwIfAborted()
      if (transactionCount(block) > 0) return block
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

  /** Returns undefined if there is no second build or it takes too long. */
  async #second({ again, timer, cancel, lateMs }: Ahead): Promise<ProposedBlock | undefined> {
    timer.cancel()
    if (again === undefined) return undefined
    const late = Promise.withResolvers<undefined>()
    const deadline = this.#clock.after(lateMs, () => late.resolve(undefined))
    const block = await Promise.race([again, late.promise])
    deadline.cancel()
    if (block === undefined) cancel.abort()
    return block
  }

  /** Schedules the second build as late as the first one's duration allows. */
  #againLater(ahead: Ahead, tookMs: number): void {
    const waitMs = ahead.dueMs - this.#clock.monotonicMs() - Math.max(tookMs * MARGIN, MIN_LEAD_MS)
    if (ahead.cancel.signal.aborted || waitMs < MIN_GAIN_MS) return
    ahead.timer = this.#clock.after(waitMs, () => {
      ahead.again = this.#build(ahead.order, ahead.cancel.signal).catch(() => undefined)
    })
  }

  #leadMs({ periodMs }: Due): number {
    return Math.min(Math.max(0, ...this.#recentMs) * MARGIN, periodMs * MAX_LEAD)
  }

  async #timed(order: BuildOrder, signal: AbortSignal): Promise<ProposedBlock> {
    const startMs = this.#clock.monotonicMs()
    const block = await this.#build(order, signal)
    this.#recentMs.push(this.#clock.monotonicMs() - startMs)
    if (this.#recentMs.length > RECENT_BUILDS) this.#recentMs.shift()
    return block
  }
}

function isSame(a: BuildOrder, b: BuildOrder): boolean {
  const isSameTime = a.timestampSeconds === b.timestampSeconds
  return isSameTime && a.height === b.height && a.round === b.round && a.parent === b.parent
}
