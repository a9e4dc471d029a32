import type { Clock } from '#platform/clock.ts'
import type { Log, LogFields } from '#platform/log/log.ts'
import type { LogProblem } from '#platform/log/log-problem.ts'

/** A flood of connections must not become a flood of log lines. */
const PERIOD_MS = 10_000

export type ThrottledWarning = (fields?: LogFields) => void

/** Logs at most one line per period, with the number of suppressed ones. */
export function createThrottledWarning(
  log: Log,
  clock: Clock,
  problem: LogProblem<'WARN'>,
): ThrottledWarning {
  let nextMs = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return (fields) => {
    const nowMs = clock.monotonicMs()
    if (nowMs < nextMs) {
      suppressed += 1
      return
    }
    nextMs = nowMs + PERIOD_MS
    log.warn(problem, suppressed === 0 ? fields : { ...fields, suppressed })
    suppressed = 0
  }
}
