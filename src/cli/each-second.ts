import { systemClock } from '#platform/clock.ts'
import type { Io } from './io.ts'

const PERIOD_MS = 1_000

/** Prints a line on the error stream at most once per second; `line` is called only if it is shown. */
export function tellEachSecond(io: Io): (line: () => string) => void {
  let toldAtMs = systemClock.monotonicMs()
  return (line) => {
    const nowMs = systemClock.monotonicMs()
    if (nowMs - toldAtMs < PERIOD_MS) return
    toldAtMs = nowMs
    io.err(`${line()}\n`)
  }
}
