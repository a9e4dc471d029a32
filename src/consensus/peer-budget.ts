import type { Address } from '#types/address.ts'
import type { BftMessage } from './bft/messages.ts'

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

/**
 * Of each kind, of one author: half of what peers grant, whose seconds begin at other times. Blocks that come every fifth
 * of a second need no more.
 */
const PASSED_ON_PER_KIND = 5
/** What weighs no more is passed on whatever was before; the rest shares some bytes. */
const SMALL_BYTES = 4 * 1024
const PASSED_ON_BYTES = 8 * 1024 * 1024

/**
 * What a node passes on of others in a second. Peers count it among what the node itself sends: without this a validator
 * that signs without end would have the votes of everyone else go unheard.
 */
export class PassOnBudget {
  #passedOn = new Map<string, number>()
  #bytes = 0
  #windowMs = Number.NEGATIVE_INFINITY

  /** False: the message is not passed on. */
  take(author: Address, kind: BftMessage['kind'], bytes: number, nowMs: number): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs
      this.#passedOn = new Map()
      this.#bytes = 0
    }
    const key = `${author} ${kind}`
    const passedOn = this.#passedOn.get(key) ?? 0
    if (passedOn >= PASSED_ON_PER_KIND || !this.#takeBytes(bytes)) return false
    this.#passedOn.set(key, passedOn + 1)
    return true
  }

  /** The first is passed on however long it is: a block may be. */
  #takeBytes(bytes: number): boolean {
    if (bytes <= SMALL_BYTES) return true
    if (this.#bytes > 0 && this.#bytes + bytes > PASSED_ON_BYTES) return false
    this.#bytes += bytes
    return true
  }
}
