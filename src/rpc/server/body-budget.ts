import { collectGarbage } from '#platform/collect-garbage.ts'

/**
 * Large bodies share this much memory beside the size of one, so that many at once cannot take what the limit for
 * one body allows to each. The same goes for messages over WebSocket.
 */
const SHARED_BYTES = 8 * 1024 * 1024

/** What was made of bodies that are gone, texts and values of their size, is garbage of which no more may gather. */
const GARBAGE_MAX_BYTES = 16 * 1024 * 1024

export class BodyBudget {
  readonly #maxBytes: number
  #takenBytes = 0
  #garbageBytes = 0

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
    this.countGarbage(bytes)
  }

  /** Of what was never taken, because it was refused. */
  countGarbage(bytes: number): void {
    this.#garbageBytes += bytes
    if (this.#garbageBytes < GARBAGE_MAX_BYTES) return
    this.#garbageBytes = 0
    void collectGarbage()
  }

  get takenBytes(): number {
    return this.#takenBytes
  }
}
