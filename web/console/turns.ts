/** Runs jobs one per task, so twenty charts do not delay a frame together. */

const waiting = new Set<() => void>()
let isRunning = false

/** Returns a function that cancels the job. */
export function inTurn(job: () => void): () => void {
  waiting.add(job)
  if (!isRunning) setTimeout(runNext)
  isRunning = true
  return () => void waiting.delete(job)
}

function runNext(): void {
  const [job] = waiting
  isRunning = job !== undefined
  if (job === undefined) return
  waiting.delete(job)
  setTimeout(runNext)
  job()
}
