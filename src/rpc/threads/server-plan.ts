import { BOUNDED_YOUNG_GENERATION, type ThreadPlan } from '#platform/thread/thread.ts'

export function serverPlan(index: number): ThreadPlan {
  return {
    name: `server-${index}`,
    entry: import.meta.resolve('#rpc/threads/server-thread-entry.ts'),
    resourceLimits: BOUNDED_YOUNG_GENERATION,
  }
}
