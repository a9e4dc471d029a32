/**
 * The machine says beforehand which block it will ask for, and when. It is built so early that it is there at its time, and no
 * earlier: what comes to the pool while it lies ready waits for the block after it. One that was built much faster than
 * feared is built once more. The machine hears nothing of that; it asks when the time has come, as it would of anyone, and is
 * given what is there.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Hash } from '#types/hash.ts'
import type { ProposedBlock } from './bft/messages.ts'
import { transactionCount } from './bft/wire/proposed-block.ts'
import type { BuildOrder } from './driver-ports.ts'

/** Load changes from block to block: the slowest of these says how long the next may take. */
const RECENT_BUILDS = 8
const MARGIN = 1.25
/** What is built as fast as this is built when it is due. */
const MIN_LEAD_MS = 20
/** What came to the pool in less time than this is not worth a second build. */
const MIN_GAIN_MS = 50
/** Of the period: so much later a block may be sent for the sake of what came since the first was built. */
const MAX_LATE = 0.025
/** Of the period: whatever a block costs, the rest is for transactions to arrive in. */
const MAX_LEAD = 0.5

export type BuildBlock = (order: BuildOrder, signal: AbortSignal) => Promise<ProposedBlock>

/** When a block will be asked for. */
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
  /** The second build: resolves with nothing where it failed. */
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

  /** This block will be asked for. Said again, it may be due at another time. */
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
        // Whoever asks for the block hears why there is none.
        () => undefined,
      )
    }
    const timer = this.#clock.after(Math.max(0, due.inMs - leadMs), start)
    const dueMs = this.#clock.monotonicMs() + due.inMs
    const lateMs = due.periodMs * MAX_LATE
    const ahead: Ahead = { order, cancel, dueMs, lateMs, timer, block: undefined, again: undefined }
    this.#ahead = ahead
  }

  /** Now. What was built for it ahead is taken, unless there was nothing to put into it, which may have come since. */
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

  /** Of what stands on another parent, nothing is of use any more. */
  onHead(parent: Hash): void {
    if (this.#ahead?.order.parent !== parent) this.cancel()
  }

  cancel(): void {
    this.#ahead?.timer.cancel()
    this.#ahead?.cancel.abort()
    this.#ahead = undefined
  }

  /** undefined: there is none, or it takes too long. */
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

  /** As late as this one's own time allows. */
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
