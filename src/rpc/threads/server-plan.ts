import type { ThreadPlan } from '#platform/thread/thread.ts'

/**
 * Left to itself V8 lets the young generation grow to 100 MB under a flood of short connections, and keeps it. For
 * requests this much does as well.
 */
const YOUNG_GENERATION_MAX_MB = 32

export function serverPlan(index: number): ThreadPlan {
  return {
    name: `server-${index}`,
    entry: import.meta.resolve('#rpc/threads/server-thread-entry.ts'),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
  }
}
