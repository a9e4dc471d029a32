/**
 * Detects a stalled chain and its cause. A failed round or two are not a stall, since a proposer may be down. A stall is logged
 * every minute, exported as a metric and reported by the readiness endpoint.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { periodMsOf } from './bft/core/block-time.ts'
import type { CoreState } from './bft/core/core-state.ts'
import { STALLED_SECONDS } from './consensus-metrics.ts'
import { CONSENSUS_PROBLEMS } from './log-problems.ts'

export interface StallParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Undefined until the chain is open. */
  readonly coreState: () => CoreState | undefined
  readonly cause: () => string | undefined
}

export interface Stall {
  /** Seconds since the last block, or since the start. */
  readonly seconds: number
  readonly cause: string
}

/** Failed first rounds that are tolerated. */
const ROUNDS = 3
const LEAST_MS = 5_000
const LOOK_EVERY_MS = 5_000
const WARN_EVERY_MS = 60_000
const SECOND_MS = 1_000

export class StallWatch {
  readonly #parts: StallParts
  readonly #timer: Timer
  #height: number | undefined
  #sinceMs: number
  #warnedMs: number | undefined
  #wasValidator: boolean | undefined

  constructor(parts: StallParts) {
    const { clock, metrics } = parts
    this.#parts = parts
    this.#sinceMs = clock.monotonicMs()
    metrics.gaugeOf(STALLED_SECONDS, () => this.stall()?.seconds ?? 0)
    this.#timer = clock.every(LOOK_EVERY_MS, () => this.#look(), { unref: true })
  }

  /** Called whenever the head may have moved, with the next height and whether this node is a validator for it. */
  note(height: number, isValidator: boolean): void {
    if (isValidator !== this.#wasValidator) this.#tellPart(isValidator, height)
    this.#wasValidator = isValidator
    if (height === this.#height) return
    this.#height = height
    this.#sinceMs = this.#parts.clock.monotonicMs()
    this.#warnedMs = undefined
  }

  /** Returns undefined if blocks arrive or this node is not a validator. */
  stall(): Stall | undefined {
    const coreState = this.#parts.coreState()
    if (!coreState?.isValidator) return undefined
    const forMs = this.#parts.clock.monotonicMs() - this.#sinceMs
    if (forMs <= allowedMs(coreState)) return undefined
    const cause = this.#parts.cause()
    return cause === undefined ? undefined : { seconds: Math.round(forMs / SECOND_MS), cause }
  }

  stop(): void {
    this.#timer.cancel()
  }

  #look(): void {
    const stall = this.stall()
    const nowMs = this.#parts.clock.monotonicMs()
    if (stall === undefined || nowMs - (this.#warnedMs ?? -WARN_EVERY_MS) < WARN_EVERY_MS) return
    this.#warnedMs = nowMs
    this.#parts.log.warn(CONSENSUS_PROBLEMS.stalled, { ...stall, height: this.#height })
  }

  #tellPart(isValidator: boolean, height: number): void {
    const { log } = this.#parts
    if (isValidator) log.info('Node is a validator', { height })
    else log.info('Node is not a validator; following the chain', { height })
  }
}

function allowedMs({ context }: CoreState): number {
  const { period, emptyBlockPeriodSeconds, requestTimeoutMs } = context
  const betweenMs = Math.max(periodMsOf(period), emptyBlockPeriodSeconds * SECOND_MS)
  return Math.max(LEAST_MS, betweenMs + ROUNDS * requestTimeoutMs)
}
