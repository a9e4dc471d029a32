/**
 * Relays consensus messages to the other validators (ADR 76). In a network whose validators are all connected, every validator
 * gets every message from its author, and relays would be most of the traffic: each of n validators would send each message of
 * the n - 1 others to n - 2 peers. A peer that sends a copy of an author's message to this node hears the author without it.
 * Relays of that author to that peer wait, and are dropped when the peer shows that it has the message. From time to time the
 * relay is sent although the peer's copy arrived, because the peer learns only from it that this node hears the author as well.
 * A relay whose time is up is sent, and the next ones of that author go to that peer at once. Only messages of round 0 wait. A
 * proposal that comes in the second half of the round's time does not: on a line of validators, each one may have made it wait.
 *
 * A validator repeats its round change, with the same bytes, until it can go on. A repeated one is relayed again, because links
 * may have been down when it was relayed before.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import type { BftMessage, RoundId } from './bft/messages.ts'

/** Maximum wait. The round must have time left for a message that was needed after all. */
const WAIT_MAX_MS = 1_000
const SHARE_OF_TIMEOUT = 1 / 4
/** The share of the round timeout, at its end, in which a proposal does not wait. */
const LATE_SHARE_OF_TIMEOUT = 1 / 2
/** Time without waits after a relay was needed; doubled each time, because some networks always need it. */
const NEEDED_MIN_MS = 60_000
const NEEDED_MAX_MS = 3_600_000
/** The share of the round timeout in which all copies of a round change belong to one sending of its author. */
const REPEAT_SHARE_OF_TIMEOUT = 1 / 2
/** Minimum time between two answers to copies of an author's messages from one peer. */
const ANSWER_REST_MS = 60_000

/** Identifies a message of an author. */
export interface MessageFacts extends RoundId {
  readonly author: Address
  readonly kind: BftMessage['kind']
}

export interface RelayedMessage extends MessageFacts {
  readonly code: number
  readonly raw: Uint8Array
}

/** A message with the peers that it waited for at first. */
interface Batch {
  readonly message: RelayedMessage
  readonly to: readonly Address[]
  readonly dueMs: number
}

/** How a peer hears an author. */
interface Path {
  /** Whether the peer hears the author without this node. */
  hears: boolean
  neededMs: number
  neededUntilMs: number
  /** The relay that was sent last because its time was up. */
  late: MessageFacts | undefined
  answeredMs: number
}

export interface RelayParts {
  readonly clock: Clock
  readonly send: (to: readonly Address[], code: number, raw: Uint8Array) => void
  /** Charges a repeated relay, which its receivers count as a message of this node. */
  readonly mayRepeat: (message: RelayedMessage) => boolean
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
  /** By author, then by peer. */
  readonly #paths = new Map<Address, Map<Address, Path>>()
  /** By peer. */
  readonly #waiting = new Map<Address, Set<RelayedMessage>>()
  /** In the order of their due times. */
  #batches: Batch[] = []
  /** The latest of each author at this height. */
  readonly #roundChanges = new Map<Address, { readonly message: RelayedMessage; passedMs: number }>()
  #timeoutMs = 0
  #waitMs = 0
  /** A proposal that comes later does not wait. */
  #proposalLateMs = Number.POSITIVE_INFINITY
  #validators: ReadonlySet<Address> = new Set()
  #timer: Timer | undefined

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  /** Called for every new height. Validators that miss messages of the last one can fetch its block from this node. */
  enter(validators: readonly Address[], requestTimeoutMs: number): void {
    this.clear()
    this.#validators = new Set(validators)
    this.#timeoutMs = requestTimeoutMs
    this.#waitMs = Math.min(WAIT_MAX_MS, requestTimeoutMs * SHARE_OF_TIMEOUT)
    this.#proposalLateMs = Number.POSITIVE_INFINITY
    this.#forget((validator) => !this.#validators.has(validator))
  }

  /** Called when a round of this height begins, with the time until it fails. */
  roundBegan(round: number, endsInMs: number): void {
    const patientMs = round > 0 ? 0 : endsInMs - this.#timeoutMs * LATE_SHARE_OF_TIMEOUT
    this.#proposalLateMs = this.#parts.clock.monotonicMs() + patientMs
  }

  /** Drops all relays. */
  clear(): void {
    this.#waiting.clear()
    this.#roundChanges.clear()
    this.#batches = []
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** The connections of a validator that was away may have changed. */
  reconnected(validator: Address): void {
    this.#forget((each) => each === validator)
  }

  /** A peer sent a message, for the first time or again. */
  received(peer: Address, facts: MessageFacts): void {
    const { author, kind, height, round } = facts
    this.#drop(
      author,
      (message) =>
        message.height < height ||
        (message.height === height && message.round === round && STAGES[message.kind] < STAGES[kind]),
    )
    // Anyone can sign messages of later heights.
    if (!this.#validators.has(peer) || !this.#validators.has(author)) return
    if (kind === 'roundChange') this.#repeat(peer, facts)
    if (peer === author) return
    const path = this.#pathOf(peer, author)
    path.hears = true
    if (path.late !== undefined && isSame(path.late, facts)) forgive(path)
    for (const message of this.#drop(peer, (each) => isSame(each, facts))) this.#answer(peer, message, path)
  }

  pass(message: RelayedMessage, to: readonly Address[]): void {
    const nowMs = this.#parts.clock.monotonicMs()
    const isLate = message.kind === 'proposal' && nowMs >= this.#proposalLateMs
    const isPatient = message.round === 0 && message.kind !== 'roundChange' && !isLate
    if (message.kind === 'roundChange') this.#keep(message, nowMs)
    const paths = isPatient ? this.#paths.get(message.author) : undefined
    const [later, atOnce]: [Address[], Address[]] = [[], []]
    for (const peer of to) (mayWait(paths?.get(peer), nowMs) ? later : atOnce).push(peer)
    if (atOnce.length > 0) this.#parts.send(atOnce, message.code, message.raw)
    if (later.length === 0) return
    for (const peer of later) {
      const waiting = this.#waiting.get(peer)
      if (waiting === undefined) this.#waiting.set(peer, new Set([message]))
      else waiting.add(message)
    }
    this.#batches.push({ message, to: later, dueMs: nowMs + this.#waitMs })
    this.#watch(nowMs)
  }

  #keep(message: RelayedMessage, nowMs: number): void {
    const known = this.#roundChanges.get(message.author)?.message
    if (known === undefined || known.round < message.round)
      this.#roundChanges.set(message.author, { message, passedMs: nowMs })
  }

  #repeat(peer: Address, facts: MessageFacts): void {
    const known = this.#roundChanges.get(facts.author)
    if (known === undefined || !isSame(known.message, facts)) return
    const nowMs = this.#parts.clock.monotonicMs()
    const restMs = this.#timeoutMs * REPEAT_SHARE_OF_TIMEOUT
    if (nowMs < known.passedMs + restMs || !this.#parts.mayRepeat(known.message)) return
    known.passedMs = nowMs
    const to = [...this.#validators].filter((each) => each !== peer && each !== facts.author)
    this.#parts.send(to, known.message.code, known.message.raw)
  }

  /** The peer would relay this author's messages to this node forever if it never got a copy. */
  #answer(peer: Address, message: RelayedMessage, path: Path): void {
    const nowMs = this.#parts.clock.monotonicMs()
    if (nowMs < path.answeredMs + ANSWER_REST_MS) return
    path.answeredMs = nowMs
    this.#parts.send([peer], message.code, message.raw)
  }

  /** Returns the dropped relays. */
  #drop(peer: Address, isNeedless: (message: RelayedMessage) => boolean): RelayedMessage[] {
    const waiting = this.#waiting.get(peer)
    if (waiting === undefined) return []
    const needless: RelayedMessage[] = []
    for (const message of waiting) if (isNeedless(message)) needless.push(message)
    for (const message of needless) waiting.delete(message)
    return needless
  }

  #watch(nowMs: number): void {
    const [next] = this.#batches
    if (next === undefined || this.#timer !== undefined) return
    this.#timer = this.#parts.clock.after(next.dueMs - nowMs, () => {
      this.#timer = undefined
      this.#sendDue()
    })
  }

  #sendDue(): void {
    const nowMs = this.#parts.clock.monotonicMs()
    const due = this.#batches.filter(({ dueMs }) => dueMs <= nowMs)
    this.#batches = this.#batches.slice(due.length)
    for (const { message, to } of due) {
      for (const peer of to)
        if (this.#waiting.get(peer)?.delete(message)) this.#sendLate(peer, message, nowMs)
    }
    this.#watch(nowMs)
  }

  #sendLate(peer: Address, message: RelayedMessage, nowMs: number): void {
    this.#parts.send([peer], message.code, message.raw)
    const path = this.#pathOf(peer, message.author)
    if (nowMs < path.neededUntilMs) return
    path.hears = false
    path.late = message
    path.neededMs = Math.min(NEEDED_MAX_MS, Math.max(NEEDED_MIN_MS, path.neededMs * 2))
    path.neededUntilMs = nowMs + path.neededMs
  }

  #pathOf(peer: Address, author: Address): Path {
    const paths = this.#paths.get(author) ?? new Map<Address, Path>()
    this.#paths.set(author, paths)
    const known = paths.get(peer)
    if (known !== undefined) return known
    const never = Number.NEGATIVE_INFINITY
    const path = { hears: false, neededMs: 0, neededUntilMs: never, late: undefined, answeredMs: never }
    paths.set(peer, path)
    return path
  }

  #forget(isGone: (validator: Address) => boolean): void {
    for (const [author, paths] of this.#paths) {
      if (isGone(author)) this.#paths.delete(author)
      else for (const peer of paths.keys()) if (isGone(peer)) paths.delete(peer)
    }
  }
}

function mayWait(path: Path | undefined, nowMs: number): boolean {
  return path?.hears === true && nowMs >= path.neededUntilMs
}

/** The peer's copy shows that it had the message by another path when the relay was sent. */
function forgive(path: Path): void {
  path.late = undefined
  path.neededMs /= 2
  path.neededUntilMs = Number.NEGATIVE_INFINITY
}

function isSame(a: MessageFacts, b: MessageFacts): boolean {
  return a.author === b.author && a.kind === b.kind && a.height === b.height && a.round === b.round
}
