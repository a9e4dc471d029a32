import type { Address } from '#types/address.ts'
import type { BftMessage } from './bft/messages.ts'

const WINDOW_MS = 1_000
/** A block of a network takes each validator some four messages, and every peer may pass all of them on. */
const MESSAGES_PER_VALIDATOR = 40
const MESSAGES_BESIDE = 100
/** Two of the largest messages. */
const BYTES = 32 * 1024 * 1024

interface Spent {
  messages: number
  bytes: number
}

/**
 * What peers may send in a second: each message costs the main thread a hash and a key recovery at least. A validator has a
 * budget of its own. All other peers share one, because anyone can make any number of them: each peer that was heard in the
 * last second has an equal part of it.
 */
export class PeerBudget {
  #spent = new Map<Address, Spent>()
  #strangers: Spent = { messages: 0, bytes: 0 }
  #strangersHeard = new Set<Address>()
  #strangersBefore = 1
  #windowMs = Number.NEGATIVE_INFINITY

  /** False: the message is not looked at. */
  take(peer: Address, bytes: number, validators: readonly Address[], nowMs: number): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) this.#nextWindow(nowMs)
    const most = { messages: MESSAGES_BESIDE + validators.length * MESSAGES_PER_VALIDATOR, bytes: BYTES }
    const spent = this.#spent.get(peer) ?? { messages: 0, bytes: 0 }
    this.#spent.set(peer, spent)
    if (validators.includes(peer)) return spend(spent, bytes, most)
    this.#strangersHeard.add(peer)
    const strangers = Math.max(this.#strangersBefore, this.#strangersHeard.size)
    const part = { messages: most.messages / strangers, bytes: most.bytes / strangers }
    return spend(spent, bytes, part) && spend(this.#strangers, bytes, most)
  }

  /** How long until peers are heard again. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#windowMs + WINDOW_MS - nowMs)
  }

  #nextWindow(nowMs: number): void {
    this.#windowMs = nowMs
    this.#spent = new Map()
    this.#strangers = { messages: 0, bytes: 0 }
    this.#strangersBefore = Math.max(1, this.#strangersHeard.size)
    this.#strangersHeard = new Set()
  }
}

function spend(spent: Spent, bytes: number, most: Spent): boolean {
  if (spent.messages + 1 > most.messages || (spent.bytes > 0 && spent.bytes + bytes > most.bytes))
    return false
  spent.messages += 1
  spent.bytes += bytes
  return true
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
