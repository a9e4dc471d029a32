import type { HeightContext } from '#consensus/bft/events.ts'
import { blockDelayMs, headerTimestamp, holdBackMs, periodMsOf, roundZeroExtraMs } from './block-time.ts'
import type { Surroundings } from './machine.ts'

/** A clock that is right again after it was wrong must not be waited for by what it said. */
const LOOK_AGAIN_MS = 3_000

/** When things are due at a height, by its context and the clocks. */
export class HeightClock {
  readonly #core: Surroundings
  readonly #context: HeightContext

  constructor(core: Surroundings, context: HeightContext) {
    this.#core = core
    this.#context = context
  }

  /** Whose turn it is has a block to build. */
  armBlockTimer(isMyTurn: boolean): void {
    const delayMs = blockDelayMs(this.#context, this.#core.now(), 'armed')
    if (isMyTurn && delayMs > 0) this.#announceBuild(delayMs)
    // Where it follows from the wall clock it is looked at again, since that may be set meanwhile.
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

  /** The timer fired; the wall clock may have been set back meanwhile. */
  isBlockDue(): boolean {
    return blockDelayMs(this.#context, this.#core.now(), 'fired') === 0
  }

  timeoutMs(round: number): number {
    return this.#core.rules.roundTimeoutMs(this.#context.requestTimeoutMs, round)
  }

  startRoundTimer(round: number): void {
    this.#core.startTimer('round', this.timeoutMs(round))
  }

  /** Of a validator that cannot know why the proposer waits. */
  startRoundZeroTimer(): void {
    const { startTimer, now } = this.#core
    startTimer('round', this.timeoutMs(0) + roundZeroExtraMs(this.#context, now()))
  }

  timestampSeconds(round: number): number {
    return headerTimestamp(this.#context, round, this.#core.now())
  }

  /** True: a block without transactions has time, and the block timer says when to look again. */
  holdsBack(): boolean {
    const waitMs = holdBackMs(this.#context, this.#core.now())
    if (waitMs === 0) return false
    this.#core.cancelTimer('round')
    this.#core.startTimer('block', waitMs)
    return true
  }
}
