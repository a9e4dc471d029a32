/**
 * Relays consensus messages to the other validators (ADR 76). In a network whose validators are all connected, every validator
 * gets every message from its author, and relays would be most of the traffic: each of n validators would send each message of
 * the n - 1 others to n - 2 peers. A peer that sends a copy of an author's message to this node hears the author without it.
 * Relays of that author to that peer wait, and are dropped when the peer shows that it has the message. A relay whose time is
 * up is sent, and the next ones of that author go to that peer at once. Only messages of round 0 wait.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import type { BftMessage, RoundId } from './bft/messages.ts'

/** Maximum wait. The round must have time left for a message that was needed after all. */
const WAIT_MAX_MS = 1_000
const SHARE_OF_TIMEOUT = 1 / 4
/** Time without waits after a relay was needed; doubled each time, because some networks always need it. */
const NEEDED_MIN_MS = 60_000
const NEEDED_MAX_MS = 3_600_000

/** Identifies a message of an author. */
export interface MessageFacts extends RoundId {
  readonly author: Address
  readonly kind: BftMessage['kind']
}

export interface RelayedMessage extends MessageFacts {
  readonly code: number
  readonly raw: Uint8Array
}

interface Waiting {
  readonly to: Address
  readonly message: RelayedMessage
  readonly dueMs: number
}

/** How a peer hears an author. */
interface Path {
  readonly peer: Address
  readonly author: Address
  /** Whether the peer hears the author without this node. */
  hears: boolean
  neededMs: number
  neededUntilMs: number
}

export interface RelayParts {
  readonly clock: Clock
  readonly send: (to: readonly Address[], code: number, raw: Uint8Array) => void
}

/** A message shows that its author has the messages of earlier stages. */
const STAGES: Readonly<Record<BftMessage['kind'], number>> = {
  proposal: 0,
  prepare: 1,
  commit: 2,
  roundChange: 3,
}

export class Relay {
  readonly #parts: RelayParts
  readonly #paths = new Map<string, Path>()
  #waiting: readonly Waiting[] = []
  #waitMs = 0
  #validators: ReadonlySet<Address> = new Set()
  #timer: Timer | undefined

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  /** Called for every new height. Validators that miss messages of the last one can fetch its block from this node. */
  enter(validators: readonly Address[], requestTimeoutMs: number): void {
    this.clear()
    this.#validators = new Set(validators)
    this.#waitMs = Math.min(WAIT_MAX_MS, requestTimeoutMs * SHARE_OF_TIMEOUT)
    for (const [key, { peer, author }] of this.#paths) {
      if (!this.#validators.has(peer) || !this.#validators.has(author)) this.#paths.delete(key)
    }
  }

  /** Drops all waiting relays. */
  clear(): void {
    this.#waiting = []
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** The connections of a validator that was away may have changed. */
  reconnected(validator: Address): void {
    for (const [key, { peer, author }] of this.#paths) {
      if (peer === validator || author === validator) this.#paths.delete(key)
    }
  }

  /** A peer sent a message, for the first time or again. */
  received(peer: Address, facts: MessageFacts): void {
    const { author, kind, height, round } = facts
    const isBefore = ({ message }: Waiting): boolean =>
      message.height < height ||
      (message.height === height && message.round === round && STAGES[message.kind] < STAGES[kind])
    this.#drop((each) => each.to === author && isBefore(each))
    if (peer === author || !this.#validators.has(peer)) return
    this.#pathOf(peer, author).hears = true
    this.#drop(({ to, message }) => to === peer && isSame(message, facts))
  }

  pass(message: RelayedMessage, to: readonly Address[]): void {
    const isPatient = message.round === 0 && message.kind !== 'roundChange'
    const nowMs = this.#parts.clock.monotonicMs()
    const later = isPatient ? to.filter((peer) => this.#mayWait(peer, message.author, nowMs)) : []
    const atOnce = to.filter((peer) => !later.includes(peer))
    if (atOnce.length > 0) this.#parts.send(atOnce, message.code, message.raw)
    const dueMs = nowMs + this.#waitMs
    this.#waiting = [...this.#waiting, ...later.map((peer) => ({ to: peer, message, dueMs }))]
    this.#watch(nowMs)
  }

  #mayWait(peer: Address, author: Address, nowMs: number): boolean {
    const path = this.#paths.get(keyOf(peer, author))
    return path?.hears === true && nowMs >= path.neededUntilMs
  }

  #drop(isNeedless: (waiting: Waiting) => boolean): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((each) => !isNeedless(each))
  }

  #watch(nowMs: number): void {
    const next = this.#waiting[0]
    if (next === undefined || this.#timer !== undefined) return
    this.#timer = this.#parts.clock.after(next.dueMs - nowMs, () => {
      this.#timer = undefined
      this.#sendDue()
    })
  }

  #sendDue(): void {
    const nowMs = this.#parts.clock.monotonicMs()
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= nowMs)
    this.#waiting = this.#waiting.filter(({ dueMs }) => dueMs > nowMs)
    for (const { to, message } of due) {
      this.#parts.send([to], message.code, message.raw)
      const path = this.#pathOf(to, message.author)
      if (nowMs < path.neededUntilMs) continue
      path.hears = false
      path.neededMs = Math.min(NEEDED_MAX_MS, Math.max(NEEDED_MIN_MS, path.neededMs * 2))
      path.neededUntilMs = nowMs + path.neededMs
    }
    this.#watch(nowMs)
  }

  #pathOf(peer: Address, author: Address): Path {
    const key = keyOf(peer, author)
    const known = this.#paths.get(key)
    if (known !== undefined) return known
    const path: Path = { peer, author, hears: false, neededMs: 0, neededUntilMs: Number.NEGATIVE_INFINITY }
    this.#paths.set(key, path)
    return path
  }
}

function keyOf(peer: Address, author: Address): string {
  return `${peer} ${author}`
}

function isSame(a: MessageFacts, b: MessageFacts): boolean {
  return a.author === b.author && a.kind === b.kind && a.height === b.height && a.round === b.round
}
