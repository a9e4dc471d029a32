import type { Clock } from '#platform/clock.ts'
import type { Log, LogFields } from '#platform/log/log.ts'

/** A flood of connections must not become a flood of lines. */
const PERIOD_MS = 10_000

export type ThrottledWarning = (fields?: LogFields) => void

/** Logs at most one line each period, and says how many it kept back. */
export function createThrottledWarning(log: Log, clock: Clock, message: string): ThrottledWarning {
  let nextMs = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return (fields) => {
    const nowMs = clock.monotonicMs()
    if (nowMs < nextMs) {
      suppressed += 1
      return
    }
    nextMs = nowMs + PERIOD_MS
    log.warn(message, suppressed === 0 ? fields : { ...fields, suppressed })
    suppressed = 0
  }
}
