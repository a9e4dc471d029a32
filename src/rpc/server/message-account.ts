import type { BodyBudget } from './body-budget.ts'

/** What one connection may hold without asking, so that ordinary messages pass while large ones use the whole budget. */
const FREE_BYTES = 128 * 1024

/** What a value of a message takes when it is parsed: an empty object, which counts twice, has 56 bytes and a place. */
const VALUE_BYTES = 32

/** The memory that messages of one connection take, from their first byte to their answer. */
export class MessageAccount {
  readonly #budget: BodyBudget
  /** Of the message of which not all is here. */
  #arrivingBytes = 0
  #heldBytes = 0
  #takenBytes = 0
  #isClosed = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  get isArriving(): boolean {
    return this.#arrivingBytes > 0
  }

  /** The message that arrives has so many bytes by now. False: there is no room for it. */
  tryArrive(bytes: number): boolean {
    if (this.#isClosed || !this.#tryTake(this.#heldBytes + bytes)) return false
    this.#arrivingBytes = bytes
    return true
  }

  /** It is here. */
  hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#arrivingBytes = 0
  }

  /** What is held becomes so many values; how many bytes those take, or null when there is no room for them. */
  tryParse(values: number): number | null {
    const bytes = values * VALUE_BYTES
    const sum = this.#heldBytes + bytes + this.#arrivingBytes
    // Alone, a message of the most values that are parsed at all must pass.
    if (!this.#tryTake(sum, (further) => this.#budget.tryTakeAlone(further, this.#takenBytes))) return null
    this.#heldBytes += bytes
    return bytes
  }

  /** It was answered, or nobody will. */
  free(bytes: number): void {
    if (this.#isClosed) return
    this.#heldBytes -= bytes
    this.#tryTake(this.#heldBytes + this.#arrivingBytes)
  }

  /** What arrives will not be heard. */
  abandon(): void {
    this.#arrivingBytes = 0
    this.#tryTake(this.#heldBytes)
  }

  /** The client has left: what is under way for it is being ended. */
  close(): void {
    this.#heldBytes = 0
    this.abandon()
    this.#isClosed = true
  }

  #tryTake(bytes: number, take = (further: number): boolean => this.#budget.tryTake(further)): boolean {
    const takenBytes = Math.max(0, bytes - FREE_BYTES)
    const further = takenBytes - this.#takenBytes
    if (further > 0 && !take(further)) return false
    if (further < 0) this.#budget.release(-further)
    this.#takenBytes = takenBytes
    return true
  }
}
