import type { Clock, Timer } from '#platform/clock.ts'
import { Fault } from '#types/fault.ts'
import type { GuestThread } from './start-guest.ts'

const PING_MS = 500
const ANSWER_MS = 1_000
/** A plugin that computes this long without an answer is in a loop. */
const HANG_CPU_MS = 2_500
/** A plugin that neither computes nor answers waits for something that never comes, or the machine is too busy. */
const SILENT_MAX_MS = 30_000

/**
 * Pings a plugin periodically. Time alone does not distinguish a loop from a busy machine, and terminating a plugin then
 * would make matters worse, so the thread's CPU time decides.
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
    // Not awaited: a thread that blocks outside JavaScript does not answer this either, and computes nothing.
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

export function isLate(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'DEADLINE_EXCEEDED'
}
