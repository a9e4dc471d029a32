import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'

/**
 * Time slice for answers before the event loop runs again, which bounds the delay of consensus messages. Afterwards answers
 * pause for as long, so they use at most half of the thread's time.
 */
const SLICE_MS = 4

/** Work that pauses at every `yield`. It receives true if other work ran during the pause, so the chain may have changed. */
export type PausingWork<Result> = Generator<undefined, Result, boolean>

// biome-ignore lint/correctness/useYield: it is one step.
export function* once<Result>(step: () => Result): PausingWork<Result> {
  return step()
}

interface Job {
  work: PausingWork<void>
  wasPaused: boolean
}

/** Shares the peers thread's time for answers among all peers: one slice per event loop turn. */
export class ServeTurns {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly #jobs: Job[] = []
  #isRunning = false

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>) {
    this.#clock = clock
  }

  /** Rejects if the work throws. */
  run<Result>(work: PausingWork<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    function* settling(): PausingWork<void> {
      try {
        resolve(yield* work)
      } catch (error) {
        reject(error)
      }
    }
    this.#jobs.push({ work: settling(), wasPaused: false })
    if (!this.#isRunning) void this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    let usedMs = 0
    while (this.#jobs.length > 0) {
      await (usedMs < SLICE_MS ? nextTurn() : this.#rest(usedMs))
      const startMs = this.#clock.monotonicMs()
      const endMs = startMs + SLICE_MS
      while (this.#jobs.length > 0 && this.#clock.monotonicMs() < endMs) this.#runOne(endMs)
      usedMs = this.#clock.monotonicMs() - startMs
    }
    this.#isRunning = false
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve, { unref: true }))
  }

  #runOne(endMs: number): void {
    const job = this.#jobs.shift()!
    let isDone = job.work.next(job.wasPaused).done
    while (!isDone && this.#clock.monotonicMs() < endMs) isDone = job.work.next(false).done
    if (isDone) return
    job.wasPaused = true
    this.#jobs.push(job)
  }
}
