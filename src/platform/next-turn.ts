/** Yields to the event loop, so that a long loop does not hold up whatever else waits on this thread. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Milliseconds of work between two turns of the event loop. */
const SLICE_MS = 1

/** Work that grows with its input. It yields wherever others may come in between: before each item of a loop. */
export type Sliced<Result> = Generator<void, Result, void>

/** Does the work a millisecond at a time. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const endsAtMs = performance.now() + SLICE_MS
    do {
      const { done, value } = work.next()
      if (done) return value
    } while (performance.now() < endsAtMs)
    await nextTurn()
  }
}
