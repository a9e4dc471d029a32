import type { Address } from '#types/address.ts'

const WINDOW_MS = 1_000
/** A block of a network takes each validator some four messages, and every peer may pass all of them on. */
const MESSAGES_PER_VALIDATOR = 40
const MESSAGES_BESIDE = 100
/** Two of the largest messages. */
const BYTES = 32 * 1024 * 1024

/** What one peer may send in a second: each message costs the main thread a hash and a key recovery at least. */
export class PeerBudget {
  #spent = new Map<Address, { messages: number; bytes: number }>()
  #windowMs = Number.NEGATIVE_INFINITY

  /** False: the message is not looked at. */
  take(peer: Address, bytes: number, validators: number, nowMs: number): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs
      this.#spent = new Map()
    }
    const spent = this.#spent.get(peer) ?? { messages: 0, bytes: 0 }
    this.#spent.set(peer, spent)
    spent.messages += 1
    spent.bytes += bytes
    return spent.messages <= MESSAGES_BESIDE + validators * MESSAGES_PER_VALIDATOR && spent.bytes <= BYTES
  }
}
