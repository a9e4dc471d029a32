import type { Clock } from '#platform/clock.ts'
import type { HttpConnection } from './connections.ts'

/** A client may send requests ahead of their answers; beyond this it floods. */
const AHEAD_MAX = 256
const AHEAD_MAX_BYTES = 1024 * 1024
/** Of a body that nobody reads yet Node holds about this much, then it stops reading from the connection. */
const UNREAD_BODY_MAX_BYTES = 64 * 1024
/**
 * What is taken from one connection in one go; then it rests until the others had their turn. Without it the event
 * loop would answer all that a client sends ahead, 2 MiB at a time, and whoever else waits would wait for it.
 */
const TURN_BYTES = 128 * 1024
/** What a request costs beside its body, in the same unit. */
const REQUEST_COST_BYTES = 256

/**
 * Requests of one connection are taken up one at a time: a client that pipelines gets its answers in order, and no
 * more of the machine than others.
 */
export class RequestTurns {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `start` now or in its turn. False: the client is too far ahead. `bodyBytes`: undefined when unknown. */
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

  /** The answer to the request under way is out. */
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
