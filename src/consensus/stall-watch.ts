/**
 * Whether the chain stands still, and why. A round or two that come to nothing are no standstill: a proposer may be down.
 * Told in the log every minute while it lasts, as a metric, and to whoever asks whether this node is ready.
 */
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { CoreSnapshot } from './bft/core/snapshot.ts'
import { STALLED_SECONDS } from './consensus-metrics.ts'

export interface StallParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** undefined: the chain was not opened yet. */
  readonly snapshot: () => CoreSnapshot | undefined
  readonly cause: () => string | undefined
}

export interface Stall {
  /** Since the last block, or since the start. */
  readonly seconds: number
  readonly cause: string
}

/** As many first rounds as may come to nothing. */
const ROUNDS = 3
const LEAST_MS = 5_000
const LOOK_EVERY_MS = 5_000
const WARN_EVERY_MS = 60_000
const SECOND_MS = 1_000

export class StallWatch {
  readonly #parts: StallParts
  readonly #stop: () => void
  #height: number | undefined
  #sinceMs: number
  #warnedMs: number | undefined
  #wasValidator: boolean | undefined

  constructor(parts: StallParts) {
    const { clock, metrics } = parts
    this.#parts = parts
    this.#sinceMs = clock.monotonicMs()
    metrics.gaugeOf(STALLED_SECONDS, () => this.stall()?.seconds ?? 0)
    const timer = clock.every(LOOK_EVERY_MS, () => this.#look(), { unref: true })
    this.#stop = () => timer.cancel()
  }

  /** Whenever the head may have moved: the height of the block to come, and whether this node is a validator for it. */
  note(height: number, isValidator: boolean): void {
    if (isValidator !== this.#wasValidator) this.#tellPart(isValidator, height)
    this.#wasValidator = isValidator
    if (height === this.#height) return
    this.#height = height
    this.#sinceMs = this.#parts.clock.monotonicMs()
    this.#warnedMs = undefined
  }

  /** undefined: blocks come, or this node has no part in them. */
  stall(): Stall | undefined {
    const snapshot = this.#parts.snapshot()
    if (!snapshot?.isValidator) return undefined
    const forMs = this.#parts.clock.monotonicMs() - this.#sinceMs
    if (forMs <= allowedMs(snapshot)) return undefined
    const cause = this.#parts.cause()
    return cause === undefined ? undefined : { seconds: Math.round(forMs / SECOND_MS), cause }
  }

  stop(): void {
    this.#stop()
  }

  #look(): void {
    const stall = this.stall()
    const nowMs = this.#parts.clock.monotonicMs()
    if (stall === undefined || nowMs - (this.#warnedMs ?? -WARN_EVERY_MS) < WARN_EVERY_MS) return
    this.#warnedMs = nowMs
    this.#parts.log.warn(`No block for ${stall.seconds} s. ${stall.cause}`, { height: this.#height })
  }

  #tellPart(isValidator: boolean, height: number): void {
    const sentence = isValidator
      ? 'This node is a validator and makes blocks.'
      : 'This node is not a validator: it makes no blocks, and follows those of others.'
    this.#parts.log.info(sentence, { height })
  }
}

function allowedMs({ context }: CoreSnapshot): number {
  const { period, emptyBlockPeriodSeconds, requestTimeoutMs } = context
  const periodMs = 'seconds' in period ? period.seconds * SECOND_MS : period.milliseconds
  const betweenMs = Math.max(periodMs, emptyBlockPeriodSeconds * SECOND_MS)
  return Math.max(LEAST_MS, betweenMs + ROUNDS * requestTimeoutMs)
}
