import type { Sliced } from './next-turn.ts'

/** Does sliced work in one go. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
