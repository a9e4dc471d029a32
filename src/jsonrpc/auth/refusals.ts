import type { RefusedCall } from '#jsonrpc/dispatcher.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'

/** Why a call was refused; used in the log and as a metric label. */
export type TokenProblem =
  | 'no token'
  | 'invalid token'
  | 'no exp claim'
  | 'expired'
  | 'not yet valid'
  | 'grant missing'

export type LoginProblem = 'unknown user' | 'unusable entry' | 'wrong password' | 'too many attempts'

export const UNAUTHORIZED_CALLS: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'unauthorized_calls',
  help: 'Calls refused for a missing or invalid token or grant, by reason',
  labels: ['reason'],
}

export const FAILED_LOGINS: CounterRow<'reason'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'failed_logins',
  help: 'Refused logins, by reason',
  labels: ['reason'],
}

export type AuthMetrics = ReturnType<typeof createAuthMetrics>

export function createAuthMetrics(metrics: Metrics) {
  const calls = metrics.counter(UNAUTHORIZED_CALLS)
  const logins = metrics.counter(FAILED_LOGINS)
  return {
    onUnauthorizedCall: (reason: TokenProblem) => calls.inc({ reason }),
    onFailedLogin: (reason: LoginProblem) => logins.inc({ reason }),
  }
}

/** Enough to diagnose; anyone can send any number of calls without a token. */
const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000

/** Counts and logs refused calls, never their token. */
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
    const fields = { ...call, reason, user }
    if (this.#hasLineLeft()) this.#log.info('Refused call', fields)
    else this.#log.debug('Refused call', fields)
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
