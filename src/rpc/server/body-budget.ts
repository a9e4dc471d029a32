/**
 * Large bodies share this much memory beside the size of one, so that many at once cannot take what the limit for
 * one body allows to each. The same goes for messages over WebSocket.
 */
const SHARED_BYTES = 8 * 1024 * 1024

export class BodyBudget {
  readonly #maxBytes: number
  #takenBytes = 0

  constructor(bodyMaxBytes: number, sharedBytes = SHARED_BYTES) {
    this.#maxBytes = bodyMaxBytes + sharedBytes
  }

  tryTake(bytes: number): boolean {
    if (this.#takenBytes + bytes > this.#maxBytes) return false
    this.#takenBytes += bytes
    return true
  }

  /** Also more than there is, for one who has `ownBytes` and is the only one who has anything. */
  tryTakeAlone(bytes: number, ownBytes: number): boolean {
    if (this.#takenBytes !== ownBytes) return this.tryTake(bytes)
    this.#takenBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#takenBytes -= bytes
  }

  get takenBytes(): number {
    return this.#takenBytes
  }
}
