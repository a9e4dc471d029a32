import { BOUNDED_YOUNG_GENERATION, type ThreadPlan } from '#platform/thread/thread.ts'

export const WRITER_PLAN: ThreadPlan = {
  name: 'writer',
  entry: import.meta.resolve('#chain/writer/writer-thread-entry.ts'),
  resourceLimits: BOUNDED_YOUNG_GENERATION,
}
