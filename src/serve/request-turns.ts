import type { Clock } from '#platform/clock.ts'
import type { HttpConnection } from './connections.ts'

/** A client may pipeline this much; more is a flood. */
const AHEAD_MAX = 256
const AHEAD_MAX_BYTES = 1024 * 1024
/** Node buffers about this much of an unread body, then stops reading from the connection. */
const UNREAD_BODY_MAX_BYTES = 64 * 1024
/**
 * Bytes taken from one connection per turn; then it rests until other connections had theirs. Otherwise the event loop
 * would answer everything that a client pipelines, 2 MiB at a time, while other clients wait.
 */
const TURN_BYTES = 128 * 1024
/** The cost of a request in addition to its body, in the same unit. */
const REQUEST_COST_BYTES = 256

/**
 * Handles the requests of one connection one at a time: a pipelining client gets its answers in order and no more of the
 * machine than others.
 */
export class RequestTurns {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `start` now or later. Returns false if the client is too far ahead. `bodyBytes` is undefined if unknown. */
  take(connection: HttpConnection, bodyBytes: number | undefined, start: () => void): boolean {
    const bytes = Math.min(bodyBytes ?? UNREAD_BODY_MAX_BYTES, UNREAD_BODY_MAX_BYTES)
    if (!connection.isBusy && !connection.isResting) {
      this.#begin(connection, bytes, start)
      return true
    }
    if (connection.waiting.length >= AHEAD_MAX || connection.waitingBytes + bytes > AHEAD_MAX_BYTES)
      return false
    connection.waitingBytes += bytes
    connection.waiting.push(() => {
      connection.waitingBytes -= bytes
      this.#begin(connection, bytes, start)
    })
    return true
  }

  /** Ends the current request after its answer was sent. */
  end(connection: HttpConnection): void {
    connection.isBusy = false
    this.#next(connection)
  }

  #begin(connection: HttpConnection, bytes: number, start: () => void): void {
    connection.isBusy = true
    connection.turnBytes += bytes + REQUEST_COST_BYTES
    if (connection.turnBytes >= TURN_BYTES) this.#rest(connection)
    start()
  }

  #rest(connection: HttpConnection): void {
    connection.turnBytes = 0
    connection.isResting = true
    const wake = (): void => {
      connection.isResting = false
      this.#next(connection)
    }
    this.#clock.after(0, wake, { unref: true })
  }

  #next(connection: HttpConnection): void {
    if (!connection.isBusy && !connection.isResting) connection.waiting.shift()?.()
  }
}
