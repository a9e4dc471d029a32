/**
 * A room as a value: `start` receives what the room needs and returns what it offers, so no caller can use a room before it
 * runs. `Lifecycle` starts rooms one after the other and stops them in reverse.
 */
import { type Clock, deadlineSignal } from './clock.ts'
import { platformFault } from './faults.ts'

export interface Room<Needs, Offers> {
  /** Named in the error if the room does not start or stop. */
  readonly name: string
  readonly startDeadlineMs: number
  readonly stopDeadlineMs: number
  start(needs: Needs, life: RoomLife): Promise<Offers> | Offers
}

export interface RoomLife {
  /** Aborts at the deadline, or when the whole start is given up. */
  readonly signal: AbortSignal
  /** Registers how to close a resource that was just opened. Resources close in reverse, even if the start fails half-way. */
  onStop(close: Close): void
}

type Close = (signal: AbortSignal) => Promise<void> | void

export function defineRoom<Needs, Offers>(room: Room<Needs, Offers>): Room<Needs, Offers> {
  return room
}

export interface StopFailure {
  readonly service: string
  readonly error: unknown
}

interface OpenRoom {
  readonly room: Pick<Room<never, unknown>, 'name' | 'stopDeadlineMs'>
  readonly closes: Close[]
  isStopped: boolean
}

export class Lifecycle {
  readonly #clock: Clock
  readonly #open: OpenRoom[] = []
  readonly #givingUp = new AbortController()
  readonly #signal: AbortSignal
  #starting: Promise<unknown> = Promise.resolve()
  #stopping: Promise<readonly StopFailure[]> | undefined

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock
    this.#signal = signal ? AbortSignal.any([signal, this.#givingUp.signal]) : this.#givingUp.signal
  }

  /** If the start fails, stops this room and the rooms before it, in reverse, and throws SERVICE_START_FAILED. */
  start<Needs, Offers>(room: Room<Needs, Offers>, needs: Needs): Promise<Offers> {
    const started = this.#start(room, needs)
    // The caller of start handles the failure.
    this.#starting = started.catch(() => undefined)
    return started
  }

  /**
   * Stops all rooms in reverse order, even if some fail; every call returns the same promise. Cancels a pending start
   * first.
   */
  stop(): Promise<readonly StopFailure[]> {
    this.#stopping ??= (async () => {
      this.#givingUp.abort(platformFault('CANCELLED', { sentence: 'The node is stopping.' }))
      await this.#starting
      return await this.#stopAll()
    })()
    return this.#stopping
  }

  async #start<Needs, Offers>(room: Room<Needs, Offers>, needs: Needs): Promise<Offers> {
    if (this.#signal.aborted) throw startFault(room.name, this.#signal.reason, await this.#stopAll())
    const open: OpenRoom = { room, closes: [], isStopped: false }
    this.#open.push(open)
    try {
      return await within(this.#clock, room.startDeadlineMs, this.#signal, (signal) =>
        room.start(needs, { signal, onStop: (close) => this.#onStop(open, close) }),
      )
    } catch (cause) {
      throw startFault(room.name, cause, await this.#stopAll())
    }
  }

  #onStop(open: OpenRoom, close: Close): void {
    if (!open.isStopped) open.closes.push(close)
    // A start that missed its deadline registers this late.
    else void this.#close(open, [close])
  }

  async #stopAll(): Promise<readonly StopFailure[]> {
    const failures: StopFailure[] = []
    for (let open = this.#open.pop(); open !== undefined; open = this.#open.pop()) {
      open.isStopped = true
      failures.push(...(await this.#close(open, open.closes.toReversed())))
    }
    return failures
  }

  async #close({ room }: OpenRoom, closes: readonly Close[]): Promise<readonly StopFailure[]> {
    const failures: StopFailure[] = []
    for (const close of closes) {
      try {
        await within(this.#clock, room.stopDeadlineMs, undefined, close)
      } catch (error) {
        failures.push({ service: room.name, error })
      }
    }
    return failures
  }
}

interface Arrival<Offers> {
  readonly promise: Promise<Offers>
  resolve(offers: Offers): void
}

/** A room's offers, for rooms that start before it. */
export class Later<Offers> {
  readonly #name: string
  #offers: Offers | undefined
  readonly #arrival: Arrival<Offers> = Promise.withResolvers<Offers>()

  constructor(name: string) {
    this.#name = name
  }

  /** Undefined while the room is starting. */
  get now(): Offers | undefined {
    return this.#offers
  }

  /** Throws STARTING until the room has started. Contracts use it. */
  get(): Offers {
    if (this.#offers !== undefined) return this.#offers
    throw platformFault('STARTING', { sentence: `The node is starting: ${this.#name} is not ready yet.` })
  }

  /** Does not resolve if the room fails to start: a caller needs a time limit. */
  get arrived(): Promise<Offers> {
    return this.#arrival.promise
  }

  arrive(offers: Offers): void {
    this.#offers = offers
    this.#arrival.resolve(offers)
  }
}

/**
 * Ends at the deadline even if the room ignores its signal, because a room that hangs must not block the others. A
 * cancelled start is awaited until its deadline: a resource that it is opening can be closed only once it is open.
 */
async function within<Result>(
  clock: Clock,
  deadlineMs: number,
  givenUp: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result> | Result,
): Promise<Result> {
  const deadline = deadlineSignal(clock, deadlineMs)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const onLate = (): void => reject(deadline.reason)
  deadline.addEventListener('abort', onLate, { once: true })
  try {
    return await Promise.race([run(givenUp ? AbortSignal.any([deadline, givenUp]) : deadline), late])
  } finally {
    deadline.clear()
    deadline.removeEventListener('abort', onLate)
  }
}

function startFault(service: string, cause: unknown, stopFailures: readonly StopFailure[]) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const sentence = `${service} did not start: ${reason}`
  return platformFault('SERVICE_START_FAILED', { sentence, service, stopFailures }, { cause })
}
