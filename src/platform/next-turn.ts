/** Yields to the event loop, so that a long loop does not hold up whatever else waits on this thread. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
