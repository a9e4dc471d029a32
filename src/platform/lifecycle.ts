import { type Clock, deadlineSignal } from './clock.ts'
import { platformFault } from './faults.ts'

export interface Service {
  readonly name: string
  readonly startDeadlineMs: number
  readonly stopDeadlineMs: number
  /** The signal aborts at the deadline, or when the whole start is given up. */
  start(signal: AbortSignal): Promise<void> | void
  stop(signal: AbortSignal): Promise<void> | void
}

export interface StopFailure {
  readonly service: string
  readonly error: unknown
}

export interface Lifecycle {
  /** In order. When one fails, stops those already started, in reverse, and throws SERVICE_START_FAILED. */
  start(signal?: AbortSignal): Promise<void>
  /**
   * In reverse order, all of them, whatever fails on the way; every call gives the same promise. A start
   * that is under way is given up first.
   */
  stop(): Promise<readonly StopFailure[]>
}

export function createLifecycle(clock: Clock, services: readonly Service[]): Lifecycle {
  const started: Service[] = []
  const givingUp = new AbortController()
  let starting: Promise<void> | undefined
  let stopping: Promise<readonly StopFailure[]> | undefined

  const startAll = async (signal: AbortSignal): Promise<void> => {
    for (const service of services) {
      if (signal.aborted) throw startFault(service, signal.reason, await stopAll())
      try {
        await within(clock, service.startDeadlineMs, signal, (limit) => service.start(limit))
      } catch (cause) {
        throw startFault(service, cause, await stopAll(service))
      }
      started.push(service)
    }
  }

  /** `failed` is stopped as well: a start that ends at its deadline may hold sockets or threads by then. */
  const stopAll = async (failed?: Service): Promise<readonly StopFailure[]> => {
    const failures: StopFailure[] = []
    if (failed !== undefined) started.push(failed)
    for (let service = started.pop(); service !== undefined; service = started.pop()) {
      const { name, stopDeadlineMs } = service
      const stop = service.stop.bind(service)
      try {
        await within(clock, stopDeadlineMs, undefined, stop)
      } catch (error) {
        failures.push({ service: name, error })
      }
    }
    return failures
  }

  return {
    start(signal) {
      starting ??= startAll(signal ? AbortSignal.any([signal, givingUp.signal]) : givingUp.signal)
      return starting
    },
    stop() {
      stopping ??= (async () => {
        givingUp.abort(platformFault('CANCELLED', { sentence: 'The node is stopping.' }))
        // A start that fails has told its caller; what it started it has stopped.
        await starting?.catch(() => undefined)
        return await stopAll()
      })()
      return stopping
    },
  }
}

/**
 * Ends at the deadline also when the service ignores its signal: one that hangs must not hold the others. One that is given up
 * before is waited for until then: what it opens in the meantime can be closed only when it is there.
 */
async function within(
  clock: Clock,
  deadlineMs: number,
  givenUp: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<void> | void,
): Promise<void> {
  const deadline = deadlineSignal(clock, deadlineMs)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const onLate = (): void => reject(deadline.reason)
  deadline.addEventListener('abort', onLate, { once: true })
  try {
    await Promise.race([run(givenUp ? AbortSignal.any([deadline, givenUp]) : deadline), late])
  } finally {
    deadline.clear()
    deadline.removeEventListener('abort', onLate)
  }
}

function startFault(service: Service, cause: unknown, stopFailures: readonly StopFailure[]) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const sentence = `${service.name} did not start: ${reason}`
  return platformFault('SERVICE_START_FAILED', { sentence, service: service.name, stopFailures }, { cause })
}
