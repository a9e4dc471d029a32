import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'
import type { RefusedCall } from '#rpc/dispatch/dispatcher.ts'

/** Why a call was refused. These words stand in the log and in the label of the metric. */
export type TokenProblem =
  | 'no token'
  | 'invalid token'
  | 'no exp claim'
  | 'expired'
  | 'not yet valid'
  | 'grant missing'

/** Why a login was refused. */
export type LoginProblem = 'unknown user' | 'unusable entry' | 'wrong password' | 'too many attempts'

export const UNAUTHORIZED_CALLS: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'unauthorized_calls',
  help: 'Number of calls refused for want of a valid token or of a grant, by reason',
  labels: ['reason'],
}

export const FAILED_LOGINS: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'failed_logins',
  help: 'Number of logins refused, by reason',
  labels: ['reason'],
}

/** Counters of one server thread; its transports share them. */
export interface AuthMetrics {
  onUnauthorizedCall(reason: TokenProblem): void
  onFailedLogin(reason: LoginProblem): void
}

export function createAuthMetrics(metrics: Metrics): AuthMetrics {
  const calls = metrics.counter(UNAUTHORIZED_CALLS)
  const logins = metrics.counter(FAILED_LOGINS)
  return {
    onUnauthorizedCall: (reason) => calls.inc({ reason }),
    onFailedLogin: (reason) => logins.inc({ reason }),
  }
}

/** Enough to see what is wrong; anyone can send any number of calls without a token. */
const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000

/** Told of every refused call: counts it, and says why in the log. Never the token. */
export class Refusals {
  readonly #metrics: AuthMetrics
  readonly #log: Log
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #minuteEndsMs = 0
  #lines = 0

  constructor(metrics: AuthMetrics, log: Log, clock: Pick<Clock, 'monotonicMs'>) {
    this.#metrics = metrics
    this.#log = log
    this.#clock = clock
  }

  note(reason: TokenProblem, call: RefusedCall, user?: string): void {
    this.#metrics.onUnauthorizedCall(reason)
    const level = this.#hasLineLeft() ? 'info' : 'debug'
    this.#log[level]('A call was refused.', { ...call, reason, ...(user !== undefined && { user }) })
  }

  #hasLineLeft(): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + MINUTE_MS
      this.#lines = 0
    }
    return this.#lines++ < LINES_PER_MINUTE
  }
}
