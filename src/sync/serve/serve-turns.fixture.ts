import type { PausingWork } from './serve-turns.ts'

/** Runs the work without pauses. */
export function atOnce<Result>(work: PausingWork<Result>): Result {
  for (;;) {
    const step = work.next(false)
    if (step.done) return step.value
  }
}
