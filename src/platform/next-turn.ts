/** Yields to the event loop, so a long loop does not block other work on this thread. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Milliseconds of work between two turns of the event loop. */
const SLICE_MS = 1

/** Work that grows with its input. It yields before each item of a loop, so other work can run in between. */
export type Sliced<Result> = Generator<void, Result, void>

/** Runs the work in slices of one millisecond. */
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
