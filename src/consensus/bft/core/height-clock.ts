import type { HeightContext } from '#consensus/bft/events.ts'
import { blockDelayMs, headerTimestamp, holdBackMs, periodMsOf, roundZeroExtraMs } from './block-time.ts'
import type { Surroundings } from './machine.ts'

/** Maximum time between looks at the wall clock, which may be set at any time. */
const LOOK_AGAIN_MS = 3_000

/** The deadlines of a height. */
export class HeightClock {
  readonly #core: Surroundings
  readonly #context: HeightContext

  constructor(core: Surroundings, context: HeightContext) {
    this.#core = core
    this.#context = context
  }

  /** The proposer also announces its build. */
  armBlockTimer(isMyTurn: boolean): void {
    const delayMs = blockDelayMs(this.#context, this.#core.now(), 'armed')
    if (isMyTurn && delayMs > 0) this.#announceBuild(delayMs)
    // A deadline by the wall clock is checked periodically, since the clock may be set.
    const isByWallClock = 'seconds' in this.#context.period
    this.#core.startTimer('block', isByWallClock ? Math.min(delayMs, LOOK_AGAIN_MS) : delayMs)
  }

  #announceBuild(inMs: number): void {
    const { height, parent, period } = this.#context
    const { wallMs, monotonicMs } = this.#core.now()
    const then = { wallMs: wallMs + inMs, monotonicMs: monotonicMs + inMs }
    this.#core.act({
      type: 'buildSoon',
      height,
      parent: parent.hash,
      timestampSeconds: headerTimestamp(this.#context, 0, then),
      inMs,
      periodMs: periodMsOf(period),
    })
  }

  /** False if the wall clock was set back since the timer started. */
  isBlockDue(): boolean {
    return blockDelayMs(this.#context, this.#core.now(), 'fired') === 0
  }

  timeoutMs(round: number): number {
    return this.#core.rules.roundTimeoutMs(this.#context.requestTimeoutMs, round)
  }

  startRoundTimer(round: number): void {
    this.#core.startTimer('round', this.timeoutMs(round))
  }

  /** Adds time for an empty block that the proposer may be delaying. */
  startRoundZeroTimer(): void {
    const { startTimer, now } = this.#core
    startTimer('round', this.timeoutMs(0) + roundZeroExtraMs(this.#context, now()))
  }

  timestampSeconds(round: number): number {
    return headerTimestamp(this.#context, round, this.#core.now())
  }

  /** Returns true if an empty block should wait; the block timer then fires when to check again. */
  holdsBack(): boolean {
    const waitMs = holdBackMs(this.#context, this.#core.now())
    if (waitMs === 0) return false
    this.#core.cancelTimer('round')
    this.#core.startTimer('block', waitMs)
    return true
  }
}
