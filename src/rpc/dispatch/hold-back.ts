import type { Clock } from '#platform/clock.ts'
import type { CallContext } from './dispatcher.ts'

/** Beside the round trip of a client it is much, and for one that waits as told it is nothing. */
const HOLD_MS = 250

/**
 * The answer to a caller that is over its limits waits a little: one that asks again at once, over all the connections it
 * may have, would otherwise keep the thread busy with refusals. Resolves early when the client leaves.
 */
export function holdBack(clock: Clock, { signal }: Pick<CallContext, 'signal'>): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.after(HOLD_MS, end, { unref: true })
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
}
