import type { Clock } from '#platform/clock.ts'

/** Requests of one plugin to the node, in a second; those beyond wait. */
const PER_SECOND = 500
const MOST_AT_ONCE = 250
/** The plugin's side of the channel has fewer under way: with these, somebody goes round it. */
const FLOOD = 300

/** Resolves when the next request may be served. A plugin that asks without end is slow, and the node is not. */
export function createChannelPace(clock: Clock, onFlood: () => void): () => Promise<void> {
  let left = MOST_AT_ONCE
  let lastMs = clock.monotonicMs()
  let waiting = 0
  return async () => {
    const nowMs = clock.monotonicMs()
    left = Math.min(MOST_AT_ONCE, left + ((nowMs - lastMs) * PER_SECOND) / 1_000)
    lastMs = nowMs
    left--
    if (left >= 0) return
    if (++waiting > FLOOD) onFlood()
    try {
      await new Promise<void>((resolve) =>
        clock.after((-left * 1_000) / PER_SECOND, resolve, { unref: true }),
      )
    } finally {
      waiting--
    }
  }
}
