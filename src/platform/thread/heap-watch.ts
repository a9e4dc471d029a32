import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Thread } from './thread.ts'

/** A loop that fills memory takes some hundred megabytes in this time. */
const PERIOD_MS = 50
/**
 * V8 aborts the whole process when some kinds of growth meet its limit, and a garbage collection near it takes
 * seconds: a thread ends long before. What it held is told so by whoever waits for it.
 */
const SHARE_OF_LIMIT = 1 / 4

export type HeapWatched = Pick<Thread<never, never>, 'name' | 'heapStatistics' | 'terminate' | 'exited'>

/** Ends a thread that uses more than its share of V8's limit, memory outside its heap included. */
export function watchHeap(
  thread: HeapWatched,
  { clock, log }: { readonly clock: Clock; readonly log: Log | undefined },
  onUsed: (bytes: number) => void,
): void {
  let hasEnded = false
  void thread.exited.then(() => {
    hasEnded = true
  })
  const look = async (): Promise<void> => {
    const { used_heap_size, external_memory, heap_size_limit } = await thread.heapStatistics()
    const used = used_heap_size + external_memory
    if (hasEnded) return
    onUsed(used)
    const limit = heap_size_limit * SHARE_OF_LIMIT
    if (used <= limit) return lookSoon()
    log?.error('A thread uses too much memory and is terminated.', { thread: thread.name, used, limit })
    await thread.terminate('it used too much memory')
  }
  const lookSoon = (): void => {
    // It rejects when the thread has ended meanwhile.
    clock.after(PERIOD_MS, () => void look().catch(() => undefined), { unref: true })
  }
  lookSoon()
}
