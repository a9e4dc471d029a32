/** When a block is due, and what time its header says. */
import type { HeightContext, Now } from '#consensus/bft/events.ts'

const SECOND_MS = 1_000

type Timing = Pick<HeightContext, 'parent' | 'period' | 'emptyBlockPeriodSeconds'>

/**
 * How long until the block is due. In seconds it follows from the header of the parent, so that a wall clock that was
 * set back while the timer ran makes it wait on; in milliseconds it counts from the moment the timer is armed.
 */
export function blockDelayMs({ parent, period }: Timing, now: Now, at: 'armed' | 'fired'): number {
  if ('milliseconds' in period) return at === 'armed' ? period.milliseconds : 0
  return Math.max(0, (parent.timestampSeconds + period.seconds) * SECOND_MS - now.wallMs)
}

/** As Besu rounds: to the nearest second in round 0, down later. Never earlier than the rules allow. */
export function headerTimestamp({ parent, period }: Timing, round: number, { wallMs }: Now): number {
  const seconds = round === 0 ? Math.round(wallMs / SECOND_MS) : Math.floor(wallMs / SECOND_MS)
  const earliest = parent.timestampSeconds + ('seconds' in period ? period.seconds : 0)
  return Math.max(seconds, earliest)
}

/** How long a proposer holds back a block without transactions before it looks again; 0: not at all. */
export function holdBackMs({ parent, period, emptyBlockPeriodSeconds }: Timing, { wallMs }: Now): number {
  if (emptyBlockPeriodSeconds === 0) return 0
  const untilEmptyMs = (parent.timestampSeconds + emptyBlockPeriodSeconds) * SECOND_MS - wallMs
  return Math.max(0, Math.min(untilEmptyMs, periodMsOf(period)))
}

export function periodMsOf(period: HeightContext['period']): number {
  return 'seconds' in period ? period.seconds * SECOND_MS : period.milliseconds
}

/**
 * Validators cannot see why a proposer is silent; without this, every empty block that is held back longer than the
 * first round lasts would end in a change of rounds.
 */
export function roundZeroExtraMs({ parent, emptyBlockPeriodSeconds }: Timing, { wallMs }: Now): number {
  if (emptyBlockPeriodSeconds === 0) return 0
  const untilEmptyMs = (parent.timestampSeconds + emptyBlockPeriodSeconds) * SECOND_MS - wallMs
  // Beyond it the clock is behind that of whoever made the parent.
  return Math.max(0, Math.min(untilEmptyMs, emptyBlockPeriodSeconds * SECOND_MS))
}
