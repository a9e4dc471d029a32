import { assert } from '#types/assert.ts'
import { platformFault } from './faults.ts'

/** Node fires a timer at once when its delay does not fit in 31 bits, so longer ones are chained. */
const NODE_TIMER_MAX_MS = 2 ** 31 - 1

export interface Timer {
  /** Has no effect on a timer that has fired or was cancelled. */
  cancel(): void
}

export interface TimerOptions {
  /** If true, this timer alone does not keep the process running. */
  readonly unref?: boolean
}

export interface Clock {
  /** Unix time. It jumps when the machine's clock is set: use it for headers, tokens and people, never to wait. */
  wallMs(): number
  /** Never goes back. All threads of the process share its origin, so they can exchange deadlines. */
  monotonicMs(): number
  /** A delay below zero counts as zero: a deadline may pass between the two readings of the clock that gave the delay. */
  after(delayMs: number, run: () => void, options?: TimerOptions): Timer
  /** The next period starts when `run` returns, so a slow listener never piles up calls. */
  every(periodMs: number, run: () => void, options?: TimerOptions): Timer
}

/**
 * performance.now() is faster than hrtime and starts at zero in each worker; hrtime is the machine's own clock. The
 * machine may give the core to another process between the two readings, so the narrowest of several pairs counts.
 */
export function originMs(readings: ClockReadings): number {
  let origin = 0
  let narrowestMs = Number.POSITIVE_INFINITY
  for (let pair = 0; pair < ORIGIN_PAIRS && narrowestMs > EXACT_ENOUGH_MS; pair++) {
    const before = readings.threadMs()
    const machine = readings.machineMs()
    const widthMs = readings.threadMs() - before
    if (widthMs >= narrowestMs) continue
    narrowestMs = widthMs
    origin = machine - before
  }
  return origin
}

export interface ClockReadings {
  /** Milliseconds since this thread started. */
  threadMs(): number
  /** Milliseconds on a clock that all threads share. */
  machineMs(): number
}

const ORIGIN_PAIRS = 100
const EXACT_ENOUGH_MS = 0.01

const ORIGIN_MS = originMs({
  threadMs: () => performance.now(),
  machineMs: () => {
    const [seconds, nanoseconds] = process.hrtime()
    return seconds * 1_000 + nanoseconds / 1_000_000
  },
})

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => ORIGIN_MS + performance.now(),
  after: startTimer,
  every: (periodMs, run, options) => repeat(systemClock, periodMs, run, options),
}

function startTimer(delayMs: number, run: () => void, options?: TimerOptions): Timer {
  let handle: NodeJS.Timeout
  const arm = (remainingMs: number): void => {
    const legMs = Math.min(remainingMs, NODE_TIMER_MAX_MS)
    handle = setTimeout(() => (remainingMs > legMs ? arm(remainingMs - legMs) : run()), legMs)
    if (options?.unref) handle.unref()
  }
  arm(timerDelay(delayMs))
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

/** The delay of a timer; the real and the fake clock share it. */
export function timerDelay(delayMs: number): number {
  assert(Number.isFinite(delayMs), `a timer cannot wait ${delayMs} ms`)
  return Math.max(0, delayMs)
}

/** Must be cleared when the work is done; otherwise its timer and its listener on the parent stay until the deadline. */
export type DeadlineSignal = AbortSignal & { clear(): void } & Disposable

/**
 * Aborts with Fault DEADLINE_EXCEEDED after `deadlineMs`, or earlier with the parent's reason. `what` is the subject of
 * the Fault's sentence.
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

/** Settles like `work`, or rejects with Fault DEADLINE_EXCEEDED. `what` is the subject of the Fault's sentence. */
export async function withDeadline<Result>(
  clock: Clock,
  deadlineMs: number,
  work: Promise<Result>,
  what?: string,
): Promise<Result> {
  using deadline = deadlineSignal(clock, deadlineMs, undefined, what)
  const { promise: late, reject } = Promise.withResolvers<never>()
  deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
  return await Promise.race([work, late])
}

export interface CancellableWork {
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** The bit to set in the cell. */
  readonly cancelBit: number
  /** The subject of the Fault's sentence. */
  readonly what: string
}

/**
 * Passes a shared cell to the work and sets a bit in it when the deadline passes or the caller gives up. Another thread
 * polls the cell while it computes, because it receives no messages then.
 */
export async function withCancelCell<Result>(
  clock: Clock,
  { deadlineMs, signal, cancelBit, what }: CancellableWork,
  ask: (
    cancel: Int32Array,
    options: { readonly deadlineMs: number; readonly signal: AbortSignal },
  ) => Promise<Result>,
): Promise<Result> {
  const cancel = new Int32Array(new SharedArrayBuffer(4))
  using deadline = deadlineSignal(clock, deadlineMs, signal, what)
  deadline.addEventListener('abort', () => Atomics.or(cancel, 0, cancelBit), { once: true })
  return await ask(cancel, { deadlineMs, signal: deadline })
}

export function deadlineFault(deadlineMs: number, what = 'The work') {
  return platformFault('DEADLINE_EXCEEDED', {
    sentence: `${what} did not finish within its deadline of ${deadlineMs} ms.`,
    deadlineMs,
  })
}
