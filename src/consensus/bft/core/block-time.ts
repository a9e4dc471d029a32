/** When a block is due, and the timestamp of its header. */
import type { HeightContext, Now } from '#consensus/bft/events.ts'

const SECOND_MS = 1_000

type Timing = Pick<HeightContext, 'parent' | 'period' | 'emptyBlockPeriodSeconds'>

/**
 * Milliseconds until the block is due. A period in seconds counts from the parent's timestamp, so a wall clock that was set
 * back extends the wait. A period in milliseconds counts from the start of the timer.
 */
export function blockDelayMs({ parent, period }: Timing, now: Now, at: 'armed' | 'fired'): number {
  if ('milliseconds' in period) return at === 'armed' ? period.milliseconds : 0
  return Math.max(0, (parent.timestampSeconds + period.seconds) * SECOND_MS - now.wallMs)
}

/** Rounds like Besu: to the nearest second in round 0, down later. Never earlier than the rules allow. */
export function headerTimestamp({ parent, period }: Timing, round: number, { wallMs }: Now): number {
  const seconds = round === 0 ? Math.round(wallMs / SECOND_MS) : Math.floor(wallMs / SECOND_MS)
  const earliest = parent.timestampSeconds + ('seconds' in period ? period.seconds : 0)
  return Math.max(seconds, earliest)
}

/** How long a proposer delays an empty block before it checks again; 0 for no delay. */
export function holdBackMs(timing: Timing, now: Now): number {
  return untilEmptyMs(timing, now, periodMsOf(timing.period))
}

export function periodMsOf(period: HeightContext['period']): number {
  return 'seconds' in period ? period.seconds * SECOND_MS : period.milliseconds
}

/** Extra time for an empty block that the proposer may delay; without it, every such delay would cause a round change. */
export function roundZeroExtraMs(timing: Timing, now: Now): number {
  // A longer rest means that our clock is behind the parent's proposer.
  return untilEmptyMs(timing, now, timing.emptyBlockPeriodSeconds * SECOND_MS)
}

function untilEmptyMs({ parent, emptyBlockPeriodSeconds }: Timing, { wallMs }: Now, maxMs: number): number {
  if (emptyBlockPeriodSeconds === 0) return 0
  const leftMs = (parent.timestampSeconds + emptyBlockPeriodSeconds) * SECOND_MS - wallMs
  return Math.max(0, Math.min(leftMs, maxMs))
}
