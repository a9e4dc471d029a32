import type { BodyBudget } from './body-collector.ts'

/** Free per connection, so ordinary messages pass while large ones use the budget. */
const FREE_BYTES = 128 * 1024

/** Memory of a parsed value: an empty object, which counts twice, takes 56 bytes and a slot. */
const VALUE_BYTES = 32

/** The memory that messages of one connection take, from their first byte to their answer. */
export class MessageMemory {
  readonly #budget: BodyBudget
  /** Of the incomplete message. */
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

  /** The arriving message has this many bytes so far. Returns false if there is no room for it. */
  tryArrive(bytes: number): boolean {
    if (this.#isClosed || !this.#tryTake(this.#heldBytes + bytes)) return false
    this.#arrivingBytes = bytes
    return true
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#arrivingBytes = 0
  }

  /** Returns the bytes that the parsed values will take, or null if there is no room for them. */
  tryParse(values: number): number | null {
    const bytes = values * VALUE_BYTES
    const sum = this.#heldBytes + bytes + this.#arrivingBytes
    // Alone, a message with the maximum number of values must pass.
    if (!this.#tryTake(sum, (further) => this.#budget.tryTakeAlone(further, this.#takenBytes))) return null
    this.#heldBytes += bytes
    return bytes
  }

  /** Called when the message was answered or dropped. */
  free(bytes: number): void {
    if (this.#isClosed) return
    this.#heldBytes -= bytes
    this.#tryTake(this.#heldBytes + this.#arrivingBytes)
  }

  /** Drops the arriving message. */
  abandon(): void {
    this.#arrivingBytes = 0
    this.#tryTake(this.#heldBytes)
  }

  /** Called when the client has left. */
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
