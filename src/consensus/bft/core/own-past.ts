/**
 * What this node can know of what its key signed before it started, and so whether it may sign now. The record of votes
 * tells, unless the data directory was lost or comes from a backup, and the record cannot tell that. The chain can: once
 * it has gone further without this node than its record, something may be missing from it. ADR 22 says why this is safe,
 * and why validators whose records are their own do not wait for each other.
 */
import type { HeightContext, LoadedVotes, Now } from '#consensus/bft/events.ts'
import type { Hash } from '#types/hash.ts'

/** Clocks of validators differ, and the time in a header may be a second ahead of its making. */
const CLOCK_DOUBT_MS = 2_000
const SECOND_MS = 1_000
/** So long nobody can have made a block without this node; by then the others are in a round later than any before. */
const WAIT_ROUNDS = 2

export class OwnPast {
  /** Nothing is missing up to this height. */
  #knownTo: number
  /** undefined: there was no file; the chain says whether there should have been one. */
  #mayBeOwn: boolean | undefined
  /** A block was made since the start: whatever was signed before it was for that block or an earlier one. */
  #isCertain: boolean
  /** The chain comes from a backup, so that blocks may be missing from it that this key decided. */
  readonly #isRestored: boolean
  #startMonotonicMs: number | undefined
  #enteredMonotonicMs = 0
  #roundMonotonicMs = 0
  #height = 0
  #isAlone = false
  #hasWaited = false
  /** Blocks of the height that this node voted for since its start: it was there when they were decided. */
  readonly #voted = new Set<Hash>()
  /** The highest height with a vote of this key that is not on record. */
  #strangeHeight = 0

  constructor(loaded: LoadedVotes, signsWithoutVotes: boolean) {
    this.#isRestored = loaded === 'restored'
    if (loaded === 'lost' || loaded === 'restored') this.#knownTo = -1
    else this.#knownTo = loaded === undefined ? 0 : (loaded.knownTo ?? loaded.height)
    this.#mayBeOwn = loaded === undefined ? undefined : typeof loaded === 'object'
    this.#isCertain = signsWithoutVotes
  }

  enter({ height, parent, validators }: HeightContext, now: Now, isValidator: boolean): void {
    this.#mayBeOwn ??= height === 1 || !isValidator
    this.#startMonotonicMs ??= now.monotonicMs
    const isNext = height === this.#height + 1
    if (isNext && this.#voted.has(parent.hash)) this.#knownTo = Math.max(this.#knownTo, this.#height)
    // By the clock as it is now, which may have been set since the start.
    const startMs = now.wallMs - (now.monotonicMs - this.#startMonotonicMs)
    const madeMs = parent.timestampSeconds * SECOND_MS
    if (madeMs >= startMs + CLOCK_DOUBT_MS && madeMs < now.wallMs + CLOCK_DOUBT_MS) this.#isCertain = true
    this.#height = height
    this.#isAlone = validators.length === 1
    this.#hasWaited = false
    this.#voted.clear()
    this.#enteredMonotonicMs = now.monotonicMs
    this.#roundMonotonicMs = now.monotonicMs
  }

  /** At the height that was entered last. */
  get maySign(): boolean {
    if (this.#height <= this.#strangeHeight) return false
    return this.#isComplete || this.#hasWaited || this.#height <= this.#knownTo + 1
  }

  /** Its record is not known to be lost. */
  get mayBeOwn(): boolean {
    return this.#mayBeOwn === true
  }

  noteVote(block: Hash): void {
    if (this.maySign) this.#voted.add(block)
  }

  /** What a record written now says about itself; undefined: nothing is missing. */
  get knownTo(): number | undefined {
    return this.#isComplete ? undefined : this.#knownTo
  }

  /** Nobody else can have seen another block of a validator that is alone, and what it decided is on its own chain. */
  get #isComplete(): boolean {
    return this.#isCertain || (this.#isAlone && !this.#isRestored)
  }

  /** It waits because its data directory comes from a backup. */
  get waitsAsRestored(): boolean {
    return this.#isRestored && !this.maySign
  }

  /**
   * A network that makes no block may be waiting for this very node. Unless its record is known to be lost, it is taken
   * for complete then: otherwise one silent validator could halt the others whenever one of them was started again.
   */
  waitOver(now: Now, roundTimeoutMs: number): void {
    if (!this.mayBeOwn || now.monotonicMs - this.#enteredMonotonicMs < WAIT_ROUNDS * roundTimeoutMs) return
    this.#hasWaited = true
  }

  /**
   * Others do not wait in a round as this node does, but go from one to the next, each twice as long: to whoever follows them no
   * two rounds of the present length ever pass. A round in which it was with them and no block was made says the same. Half of
   * its time will do, since the others came first and leave first.
   */
  leaveRound(now: Now, roundTimeoutMs: number, othersWereThere: boolean): void {
    const stayedMs = now.monotonicMs - this.#roundMonotonicMs
    this.#roundMonotonicMs = now.monotonicMs
    if (this.mayBeOwn && othersWereThere && stayedMs >= roundTimeoutMs / 2) this.#hasWaited = true
  }

  /** Another node has the key, or the record was lost. */
  sawStrangeVote(height: number): void {
    this.#strangeHeight = Math.max(this.#strangeHeight, height)
  }
}
