import { assert } from '#types/assert.ts'
import { type Clock, repeat, timerDelay } from './clock.ts'

/** 2026-01-01T00:00:00Z. The start is fixed so that printed times are the same in every run. */
const START_WALL_MS = 1_767_225_600_000
/** Without this limit, a timer that re-arms itself without delay would hang the test silently. */
const TIMERS_PER_ADVANCE_MAX = 1_000_000

interface PendingTimer {
  readonly dueMs: number
  readonly run: () => void
}

export interface FakeClock extends Clock {
  /** Moves both clocks forward and runs due timers in order of due time, then of creation. */
  advance(ms: number): void
  /** Sets the wall clock as an administrator would. It does not affect timers and monotonic time. */
  setWall(wallMs: number): void
  readonly pendingTimers: number
}

/** Time that moves only by `advance`. */
export function createFakeClock(startWallMs = START_WALL_MS): FakeClock {
  let nowMs = 0
  let wallOffsetMs = startWallMs
  const timers = new Set<PendingTimer>()

  const clock: FakeClock = {
    wallMs: () => wallOffsetMs + nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      const timer = { dueMs: nowMs + timerDelay(delayMs), run }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
    every: (periodMs, run) => repeat(clock, periodMs, run),
    advance(ms) {
      assert(ms >= 0, `time goes forward, not by ${ms} ms`)
      const targetMs = nowMs + ms
      for (let ran = 0; ; ran += 1) {
        assert(ran < TIMERS_PER_ADVANCE_MAX, 'timers end: one of them re-arms itself without delay')
        const next = earliest(timers)
        if (next === undefined || next.dueMs > targetMs) break
        nowMs = next.dueMs
        timers.delete(next)
        next.run()
      }
      nowMs = targetMs
    },
    setWall(wallMs) {
      wallOffsetMs = wallMs - nowMs
    },
    get pendingTimers() {
      return timers.size
    },
  }
  return clock
}

/** A Set keeps creation order, so among equal due times the first created wins. */
function earliest(timers: ReadonlySet<PendingTimer>): PendingTimer | undefined {
  let best: PendingTimer | undefined
  for (const timer of timers) if (best === undefined || timer.dueMs < best.dueMs) best = timer
  return best
}
