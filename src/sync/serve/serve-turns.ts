import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'

/**
 * How long answers are computed before the event loop runs again: consensus messages wait no longer than this. Afterwards the
 * answers rest for as long, so they take at most half of the thread's time.
 */
const SLICE_MS = 4

/**
 * Work that pauses after every `yield`. It receives true if other work ran in the pause: the chain may have changed.
 */
export type PausingWork<Result> = Generator<undefined, Result, boolean>

/** Work that needs no pause. */
// biome-ignore lint/correctness/useYield: it is one step.
export function* once<Result>(step: () => Result): PausingWork<Result> {
  return step()
}

interface Job {
  work: PausingWork<void>
  wasPaused: boolean
}

/** The time that the peers thread spends on answers. All peers share it in turns, one slice for each turn of the event loop. */
export class ServeTurns {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly #jobs: Job[] = []
  #isRunning = false

  constructor(clock: Pick<Clock, 'monotonicMs' | 'after'>) {
    this.#clock = clock
  }

  /** Rejects with the error of the work. */
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
