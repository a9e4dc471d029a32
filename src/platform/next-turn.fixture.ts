import type { Sliced } from './next-turn.ts'

/** Does sliced work in one go. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** Counts the turns of the event loop until `stop`, which returns their number. */
export function countTurns(): { stop(): number } {
  let turns = 0
  let timer: NodeJS.Immediate
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  timer = setImmediate(count)
  return {
    stop: () => {
      clearImmediate(timer)
      return turns
    },
  }
}
