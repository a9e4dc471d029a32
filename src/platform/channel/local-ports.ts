import { nextTurn } from '#platform/next-turn.ts'
import type { ChannelPort } from './channel-port.ts'

/** Two connected ports on one thread. Messages are not cloned, and arrive after the work of their sender. */
export function createLocalPorts(): readonly [ChannelPort, ChannelPort] {
  const [one, other] = [new LocalPort(), new LocalPort()]
  one.connect(other)
  other.connect(one)
  return [one, other]
}

class LocalPort implements ChannelPort {
  #other: LocalPort | undefined
  #waiting: unknown[] = []
  #listener: ((message: unknown) => void) | undefined
  #closeListener: (() => void) | undefined

  connect(other: LocalPort): void {
    this.#other = other
  }

  post(message: unknown): void {
    this.#other?.receive(message)
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listener = listener
    if (this.#waiting.length > 0) this.#deliverSoon()
  }

  onClose(listener: () => void): void {
    this.#closeListener = listener
  }

  close(): void {
    const other = this.#other
    if (other === undefined) return
    this.#other = undefined
    other.close()
    // After the messages that were sent before.
    void nextTurn().then(() => this.#closeListener?.())
  }

  receive(message: unknown): void {
    if (this.#waiting.push(message) === 1 && this.#listener !== undefined) this.#deliverSoon()
  }

  #deliverSoon(): void {
    void soon().then(() => {
      const waiting = this.#waiting
      this.#waiting = []
      for (const message of waiting) this.#listener!(message)
    })
  }
}

/** Deliveries in a turn of the event loop before timers and sockets get the next one. */
const PER_TURN = 64

const NOW = Promise.resolve()
let left = PER_TURN

/** Resolves in this turn of the event loop, or in the next one after too many deliveries. */
function soon(): Promise<void> {
  if (left === 0) return nextTurn()
  if (left-- === PER_TURN) {
    void nextTurn().then(() => {
      left = PER_TURN
    })
  }
  return NOW
}
