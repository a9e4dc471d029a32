/** Lets everything else that waits on this thread have its turn: for loops that would hold the event loop for long. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
