import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { Thread } from './thread.ts'

/** A loop that fills memory takes a few hundred megabytes in this time. */
const PERIOD_MS = 50
/**
 * A thread that worked less than this since the last look cannot have allocated much. Each look interrupts the thread and
 * wakes the main thread.
 */
const WORKED_LEAST_MS = 25
/** The heap of an idle thread is still measured, for metrics and because buffers of other threads can arrive. */
const IDLE_LOOKS = 20
/**
 * V8 aborts the process when some kinds of growth reach its limit, and a garbage collection near it takes seconds, so a
 * thread is terminated long before.
 */
const SHARE_OF_LIMIT = 1 / 4

export type HeapWatched = Pick<
  Thread<never, never>,
  'name' | 'workedMs' | 'heapStatistics' | 'terminate' | 'exited'
>

/** Terminates a thread that uses more than its share of V8's limit, external memory included. */
export function watchHeap(
  thread: HeapWatched,
  { clock, log }: { readonly clock: Clock; readonly log: Log | undefined },
  onUsed: (bytes: number) => void,
): void {
  let hasEnded = false
  void thread.exited.then(() => {
    hasEnded = true
  })
  let workedMs = Number.NEGATIVE_INFINITY
  let skipped = 0
  const look = async (): Promise<void> => {
    const nowMs = thread.workedMs()
    if (nowMs - workedMs < WORKED_LEAST_MS && ++skipped < IDLE_LOOKS) return lookSoon()
    workedMs = nowMs
    skipped = 0
    const { used_heap_size, external_memory, heap_size_limit } = await thread.heapStatistics()
    const used = used_heap_size + external_memory
    if (hasEnded) return
    onUsed(used)
    const limit = heap_size_limit * SHARE_OF_LIMIT
    if (used <= limit) return lookSoon()
    log?.error(PLATFORM_PROBLEMS.threadOverMemory, { thread: thread.name, used, limit })
    await thread.terminate('it used too much memory')
  }
  const lookSoon = (): void => {
    // Rejects if the thread has ended meanwhile.
    clock.after(PERIOD_MS, () => void look().catch(() => undefined), { unref: true })
  }
  lookSoon()
}
