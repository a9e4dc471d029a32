import { BoundedMap } from '#platform/bounded-map.ts'
import type { Address } from '#types/address.ts'
import type { BftMessage } from './bft/messages.ts'

const WINDOW_MS = 1_000
/** A block takes about four messages per validator, and every peer may relay all of them. */
const MESSAGES_PER_VALIDATOR = 40
const MESSAGES_BESIDE = 100
/** Two of the largest messages. */
const BYTES = 32 * 1024 * 1024

/** A former validator relays a few blocks; the bucket holds two of the largest messages. */
const STRANGERS_BYTES_PER_SECOND = 2 * 1024 * 1024
/** A refused peer is not read for a second, and twice as long each further time. */
const LONGEST_WAIT_MS = 16_000
const FORGIVEN_AFTER_MS = 60_000
/** More than a node has peers. A forgotten peer starts with short waits again. */
const REFUSED_MAX = 1_024

interface Spent {
  messages: number
  bytes: number
}

interface Refusal {
  readonly waitMs: number
  readonly untilMs: number
}

/**
 * Limits the messages of peers, each of which costs the main thread a hash and a key recovery. A validator has its own budget.
 * All other peers share one, because anyone can create any number of them: each peer heard in the last second gets an equal
 * share.
 */
export class PeerBudget {
  #spent = new Map<Address, Spent>()
  #strangersMessages = 0
  #strangersBytesLeft = BYTES
  /** The bytes left when the second began. */
  #strangersBytes = BYTES
  #strangersHeard = new Set<Address>()
  #strangersBefore = 1
  #windowMs = Number.NEGATIVE_INFINITY
  readonly #refused = new BoundedMap<Address, Refusal>(REFUSED_MAX)

  /** Returns false if the message must be ignored. */
  take(peer: Address, bytes: number, validators: readonly Address[], nowMs: number): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) this.#nextWindow(nowMs)
    const messages = MESSAGES_BESIDE + validators.length * MESSAGES_PER_VALIDATOR
    const spent = this.#spent.get(peer) ?? { messages: 0, bytes: 0 }
    this.#spent.set(peer, spent)
    if (validators.includes(peer)) return spend(spent, bytes, { messages, bytes: BYTES })
    this.#strangersHeard.add(peer)
    if (this.#takeOfStranger(spent, bytes, messages)) return true
    this.#refuse(peer, nowMs)
    return false
  }

  /** How long a refused peer should not be read. */
  waitMs(peer: Address, nowMs: number): number {
    return Math.max(0, (this.#refused.get(peer)?.untilMs ?? nowMs) - nowMs)
  }

  #takeOfStranger(spent: Spent, bytes: number, messages: number): boolean {
    if (this.#strangersBytesLeft <= 0 || this.#strangersMessages >= messages) return false
    const strangers = Math.max(this.#strangersBefore, this.#strangersHeard.size)
    const part = { messages: messages / strangers, bytes: this.#strangersBytes / strangers }
    if (!spend(spent, bytes, part)) return false
    this.#strangersMessages += 1
    this.#strangersBytesLeft -= bytes
    return true
  }

  /** Messages in transit when the wait began do not extend it. */
  #refuse(peer: Address, nowMs: number): void {
    const last = this.#refused.get(peer)
    if (last !== undefined && nowMs < last.untilMs) return
    const isForgiven = last === undefined || nowMs - last.untilMs >= FORGIVEN_AFTER_MS
    const waitMs = isForgiven ? WINDOW_MS : Math.min(LONGEST_WAIT_MS, 2 * last.waitMs)
    this.#refused.set(peer, { waitMs, untilMs: nowMs + waitMs })
  }

  #nextWindow(nowMs: number): void {
    const earned = ((nowMs - this.#windowMs) / 1_000) * STRANGERS_BYTES_PER_SECOND
    this.#strangersBytes = this.#strangersBytesLeft = Math.min(BYTES, this.#strangersBytesLeft + earned)
    this.#strangersMessages = 0
    this.#windowMs = nowMs
    this.#spent = new Map()
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

/** Per kind and author: half of what peers accept, whose seconds begin at other times; enough for a block every 200 ms. */
const PASSED_ON_PER_KIND = 5
/** Smaller messages are always relayed; larger ones share a byte budget. */
const SMALL_BYTES = 4 * 1024
const PASSED_ON_BYTES = 8 * 1024 * 1024
/** An author may be this far ahead of its share. */
const AHEAD_BYTES = 2 * 1024 * 1024

/**
 * Limits the messages that a node relays per second. Peers count them as the node's own, so without a limit a validator that
 * signs endlessly would drown the messages of all others. In the long run each author has an equal share of the bytes;
 * otherwise one that is early in each second would leave nothing for the others.
 */
export class PassOnBudget {
  #passedOn = new Map<string, number>()
  #bytes = 0
  #windowMs = Number.NEGATIVE_INFINITY
  /** The time at which an author's share has paid for its large messages. */
  readonly #paidAtMs = new Map<Address, number>()

  /** Returns false if the message must not be relayed. */
  take(author: Address, kind: BftMessage['kind'], bytes: number, validators: number, nowMs: number): boolean {
    if (nowMs - this.#windowMs >= WINDOW_MS) this.#nextWindow(nowMs)
    const key = `${author} ${kind}`
    const passedOn = this.#passedOn.get(key) ?? 0
    if (passedOn >= PASSED_ON_PER_KIND || !this.#takeBytes(author, bytes, validators, nowMs)) return false
    this.#passedOn.set(key, passedOn + 1)
    return true
  }

  /** The first message of a second is relayed at any size, since it may be a block. */
  #takeBytes(author: Address, bytes: number, validators: number, nowMs: number): boolean {
    if (bytes <= SMALL_BYTES) return true
    if (this.#bytes > 0 && this.#bytes + bytes > PASSED_ON_BYTES) return false
    const bytesPerMs = PASSED_ON_BYTES / validators / WINDOW_MS
    const paidAtMs = this.#paidAtMs.get(author) ?? nowMs
    if (paidAtMs - nowMs > AHEAD_BYTES / bytesPerMs) return false
    this.#bytes += bytes
    this.#paidAtMs.set(author, Math.max(nowMs, paidAtMs) + bytes / bytesPerMs)
    return true
  }

  #nextWindow(nowMs: number): void {
    this.#windowMs = nowMs
    this.#passedOn = new Map()
    this.#bytes = 0
    for (const [author, paidAtMs] of this.#paidAtMs) if (paidAtMs <= nowMs) this.#paidAtMs.delete(author)
  }
}
