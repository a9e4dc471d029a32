import type { ThreadPlan } from './define-thread.ts'
import { type PreparedThread, prepareThread } from './thread.ts'

/** Threads that load their modules while others still get ready for them, until their owners take them, each once. */
export class PreparedThreads {
  readonly #waiting: Map<string, PreparedThread>

  constructor(plans: readonly ThreadPlan[]) {
    this.#waiting = new Map(plans.map((plan) => [plan.name, prepareThread(plan)]))
  }

  /** undefined: there is none, or no more. */
  take(name: string): PreparedThread | undefined {
    const thread = this.#waiting.get(name)
    this.#waiting.delete(name)
    return thread
  }

  /** Of those that nobody took. */
  end(): void {
    for (const { worker } of this.#waiting.values()) void worker.terminate()
    this.#waiting.clear()
  }
}
