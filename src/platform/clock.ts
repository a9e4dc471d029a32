import { assert } from '#types/assert.ts'
import { platformFault } from './faults.ts'

/** Node fires a timer at once when its delay does not fit in 31 bits, so longer ones are chained. */
const NODE_TIMER_MAX_MS = 2 ** 31 - 1

export interface Timer {
  /** Harmless when the timer has fired or was cancelled before. */
  cancel(): void
}

export interface TimerOptions {
  /** True: this timer alone does not keep the process running. */
  readonly unref?: boolean
}

export interface Clock {
  /** Unix time. May jump when the machine's clock is set: for headers, tokens and people, never for waits. */
  wallMs(): number
  /** Never goes back. Has one origin for all threads of the process, so threads may exchange deadlines. */
  monotonicMs(): number
  after(delayMs: number, run: () => void, options?: TimerOptions): Timer
  /** The next period starts when `run` returns: a slow listener never piles up calls. */
  every(periodMs: number, run: () => void, options?: TimerOptions): Timer
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => {
    // performance.now() starts at zero in each worker; hrtime is the machine's own monotonic clock.
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1_000_000
  },
  after: startTimer,
  every: (periodMs, run, options) => repeat(systemClock, periodMs, run, options),
}

function startTimer(delayMs: number, run: () => void, options?: TimerOptions): Timer {
  assertDelay(delayMs)
  let handle: NodeJS.Timeout
  const arm = (remainingMs: number): void => {
    const legMs = Math.min(remainingMs, NODE_TIMER_MAX_MS)
    handle = setTimeout(() => (remainingMs > legMs ? arm(remainingMs - legMs) : run()), legMs)
    if (options?.unref) handle.unref()
  }
  arm(delayMs)
  return { cancel: () => clearTimeout(handle) }
}

/** `every` in terms of `after`; the real and the fake clock share it. */
export function repeat(
  clock: Pick<Clock, 'after'>,
  periodMs: number,
  run: () => void,
  options?: TimerOptions,
): Timer {
  assert(periodMs > 0, `a repeating timer has a period above zero, not ${periodMs} ms`)
  let cancelled = false
  let timer: Timer
  const tick = (): void => {
    try {
      run()
    } finally {
      if (!cancelled) timer = clock.after(periodMs, tick, options)
    }
  }
  timer = clock.after(periodMs, tick, options)
  return {
    cancel: () => {
      cancelled = true
      timer.cancel()
    },
  }
}

export function pause(clock: Pick<Clock, 'after'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.after(delayMs, resolve))
}

export function assertDelay(delayMs: number): void {
  assert(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY, `a timer cannot wait ${delayMs} ms`)
}

/** Clear it when the work is done: otherwise its timer and its listener on the parent live on to the end. */
export type DeadlineSignal = AbortSignal & { clear(): void } & Disposable

/**
 * Aborts with Fault DEADLINE_EXCEEDED after `deadlineMs`, or earlier with the parent's reason. `what`
 * begins the sentence of the Fault.
 */
export function deadlineSignal(
  clock: Clock,
  deadlineMs: number,
  parent?: AbortSignal,
  what?: string,
): DeadlineSignal {
  const controller = new AbortController()
  const timer = clock.after(deadlineMs, () => abort(deadlineFault(deadlineMs, what)), { unref: true })
  const onParentAbort = (): void => abort(parent?.reason)
  const clear = (): void => {
    timer.cancel()
    parent?.removeEventListener('abort', onParentAbort)
  }
  const abort = (reason: unknown): void => {
    clear()
    controller.abort(reason)
  }
  if (parent?.aborted) onParentAbort()
  else parent?.addEventListener('abort', onParentAbort, { once: true })
  return Object.assign(controller.signal, { clear, [Symbol.dispose]: clear })
}

export function deadlineFault(deadlineMs: number, what = 'The work') {
  return platformFault('DEADLINE_EXCEEDED', {
    sentence: `${what} did not finish within its deadline of ${deadlineMs} ms.`,
    deadlineMs,
  })
}
