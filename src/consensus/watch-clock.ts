import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'

const LOOK_EVERY_MS = 3_000
/** Slewing by NTP stays far below; a difference of this size puts blocks out of time. */
const JUMP_MS = 1_000

/** Says when the wall clock was set: blocks have its time, and a chain that waits for it must be explicable from the log. */
export function watchClock(clock: Clock, log: Log): Timer {
  const offset = (): number => clock.wallMs() - clock.monotonicMs()
  let before = offset()
  const look = (): void => {
    const now = offset()
    const byMs = Math.round(now - before)
    if (Math.abs(byMs) >= JUMP_MS) {
      const sentence = `The clock of this machine was set ${byMs < 0 ? 'back' : 'forward'}. Blocks carry its time: keep it right by NTP.`
      log.warn(sentence, { byMs })
    }
    before = now
  }
  return clock.every(LOOK_EVERY_MS, look, { unref: true })
}
