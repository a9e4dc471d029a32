import type { Clock, Timer } from '#platform/clock.ts'
import { isLate } from './late.ts'
import type { GuestThread } from './start-guest.ts'

const PING_MS = 500
const ANSWER_MS = 1_000
/** It computes and answers nothing: it loops. */
const HANG_CPU_MS = 2_500
/** It neither computes nor answers: it waits for something that never comes, or the machine has no time for it. */
const SILENT_MAX_MS = 30_000

/**
 * Asks a plugin again and again whether it is there. Time alone does not tell one that loops from one that a busy machine
 * makes wait, and ending the latter would make matters worse: so the CPU time of its thread counts.
 */
export function watchForHang(
  thread: Pick<GuestThread, 'channel' | 'cpuMs' | 'exited'>,
  clock: Clock,
  on: { readonly answered: () => void; readonly hung: (why: string) => void },
): void {
  let cpuMs = 0
  let answered = { cpuMs, atMs: clock.monotonicMs() }
  let next: Timer | undefined
  const look = async (): Promise<void> => {
    // Not waited for: one that sleeps outside of JavaScript does not answer this either, and computes nothing.
    thread.cpuMs().then(
      (used) => {
        cpuMs = used
      },
      () => undefined,
    )
    try {
      await thread.channel.request('ping', null, { deadlineMs: ANSWER_MS, isUrgent: true })
      answered = { cpuMs, atMs: clock.monotonicMs() }
      on.answered()
      next = clock.after(PING_MS, () => void look(), { unref: true })
    } catch (error) {
      if (!isLate(error)) return
      if (cpuMs - answered.cpuMs >= HANG_CPU_MS)
        on.hung(`it computed for ${HANG_CPU_MS} ms and answered nothing`)
      else if (clock.monotonicMs() - answered.atMs >= SILENT_MAX_MS)
        on.hung(`it did not answer for ${SILENT_MAX_MS} ms`)
      else await look()
    }
  }
  void look()
  void thread.exited.then(() => next?.cancel())
}
