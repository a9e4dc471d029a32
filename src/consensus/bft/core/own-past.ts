/**
 * Decides whether this node may sign, given what its key may have signed before the start. The signature log tells, unless it
 * was lost or comes from a backup, which the log itself cannot show. The chain can: if it went further without this node than
 * the log, signatures may be missing. ADR 22 explains why this is safe and why validators with complete logs do not wait for
 * each other.
 */
import type { HeightContext, LoadedLog, Now } from '#consensus/bft/events.ts'
import type { Hash } from '#types/hash.ts'

/** Validator clocks differ, and a header timestamp may be a second ahead. */
const CLOCK_DOUBT_MS = 2_000
const SECOND_MS = 1_000
/** Rounds without a block after which the others are in a later round than any before the start. */
const WAIT_ROUNDS = 2

export class OwnPast {
  /** The log is complete up to this height. */
  #knownTo: number
  /** Undefined without a file; the chain shows whether there should be one. */
  #mayBeOwn: boolean | undefined
  /** A block was made since the start, so everything signed before was for that block or an earlier one. */
  #isCertain: boolean
  /** The data directory comes from a backup, so the chain may lack blocks that this key decided. */
  readonly #isRestored: boolean
  #startMonotonicMs: number | undefined
  #enteredMonotonicMs = 0
  #roundMonotonicMs = 0
  #height = 0
  #isAlone = false
  #hasWaited = false
  /** Blocks of this height that this node signed for since its start. */
  readonly #signed = new Set<Hash>()
  /** The highest height with a signature of this key that is not in the log. */
  #strangeHeight = 0

  constructor(loaded: LoadedLog, signsWithoutLog: boolean) {
    this.#isRestored = loaded === 'restored'
    if (loaded === 'lost' || loaded === 'restored') this.#knownTo = -1
    else this.#knownTo = loaded === undefined ? 0 : (loaded.knownTo ?? loaded.height)
    this.#mayBeOwn = loaded === undefined ? undefined : typeof loaded === 'object'
    this.#isCertain = signsWithoutLog
  }

  enter({ height, parent, validators }: HeightContext, now: Now, isValidator: boolean): void {
    this.#mayBeOwn ??= height === 1 || !isValidator
    this.#startMonotonicMs ??= now.monotonicMs
    const isNext = height === this.#height + 1
    if (isNext && this.#signed.has(parent.hash)) this.#knownTo = Math.max(this.#knownTo, this.#height)
    // Computed with the current clock, which may have been set since the start.
    const startMs = now.wallMs - (now.monotonicMs - this.#startMonotonicMs)
    const madeMs = parent.timestampSeconds * SECOND_MS
    if (madeMs >= startMs + CLOCK_DOUBT_MS && madeMs < now.wallMs + CLOCK_DOUBT_MS) this.#isCertain = true
    this.#height = height
    this.#isAlone = validators.length === 1
    this.#hasWaited = false
    this.#signed.clear()
    this.#enteredMonotonicMs = now.monotonicMs
    this.#roundMonotonicMs = now.monotonicMs
  }

  /** Whether this node may sign at the current height. */
  get maySign(): boolean {
    if (this.#height <= this.#strangeHeight) return false
    return this.#isComplete || this.#hasWaited || this.#height <= this.#knownTo + 1
  }

  /** Whether the log is not known to be lost. */
  get mayBeOwn(): boolean {
    return this.#mayBeOwn === true
  }

  noteSigned(block: Hash): void {
    if (this.maySign) this.#signed.add(block)
  }

  /** The completeness that a new log entry states; undefined if nothing is missing. */
  get knownTo(): number | undefined {
    return this.#isComplete ? undefined : this.#knownTo
  }

  /** A single validator's decisions are all on its own chain. */
  get #isComplete(): boolean {
    return this.#isCertain || (this.#isAlone && !this.#isRestored)
  }

  /** Whether the node waits because its data directory was restored. */
  get waitsAsRestored(): boolean {
    return this.#isRestored && !this.maySign
  }

  /**
   * A network that makes no block may be waiting for this node. Unless the log is known to be lost, it then counts as complete;
   * otherwise one silent validator could halt the network whenever another restarts.
   */
  waitOver(now: Now, roundTimeoutMs: number): void {
    if (!this.mayBeOwn || now.monotonicMs - this.#enteredMonotonicMs < WAIT_ROUNDS * roundTimeoutMs) return
    this.#hasWaited = true
  }

  /**
   * Other validators do not wait in a round but go from one to the next, each twice as long, so a follower never sees two
   * rounds of the present length. A round with the others and without a block proves the same. Half its time is enough, since
   * the others entered first and leave first.
   */
  leaveRound(now: Now, roundTimeoutMs: number, othersWereThere: boolean): void {
    const stayedMs = now.monotonicMs - this.#roundMonotonicMs
    this.#roundMonotonicMs = now.monotonicMs
    if (this.mayBeOwn && othersWereThere && stayedMs >= roundTimeoutMs / 2) this.#hasWaited = true
  }

  /** Another node has the key, or the log was lost. */
  sawStrangeSignature(height: number): void {
    this.#strangeHeight = Math.max(this.#strangeHeight, height)
  }
}
