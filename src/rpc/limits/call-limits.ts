import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'
import { RecentMap } from '#rpc/auth/recent-map.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { type RpcErrorDetail, rpcFault } from '#rpc/errors.ts'
import { createThrottledWarning, type ThrottledWarning } from '#serve/throttled-warning.ts'
import { ipBucket } from '#types/ip.ts'
import { COST_CLASSES, type CostClass } from './cost-class.ts'
import {
  type AccountKind,
  type AccountPlace,
  addDebt,
  debtUs,
  isThere,
  type Limited,
  placeAccount,
  type SharedAccounts,
} from './shared-accounts.ts'
import type { UserAllowance, UserLimits } from './user-limits.ts'

const MINUTE_US = 60_000_000
const SECOND_US = 1_000_000n
/** How much may be used at once: what is allowed in this time. */
const BURST_US = 10n * SECOND_US
/** Notifications are not refused, and who is told much shall not have to wait for ever. */
const NOTIFIED_MOST_US = BURST_US + 60n * SECOND_US
/** Callers whose place is known without computing it. */
const KNOWN_MAX = 4_096

export const LIMIT_REFUSALS: CounterRow<'limit' | 'caller'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'limit_refusals',
  help: 'Number of calls refused because of --rpc-user-limits, by what was used up and whether by a user or an address',
  labels: ['limit', 'caller'],
}

export type LimitedCaller = Pick<CallContext, 'caller' | 'remoteAddress'>

/** What a thread that executes code needs to charge for it. */
export interface EngineAccount {
  readonly place: AccountPlace
  /** Microseconds to work off for each of an engine. */
  readonly usPerUs: number
}

interface Account {
  readonly name: string
  place: AccountPlace
  /** Microseconds to work off for each request; undefined: requests are not limited. */
  readonly requestUs: number | undefined
  readonly engineUsPerUs: number | undefined
}

export interface CallLimitsOptions {
  readonly limits: UserLimits
  readonly shared: SharedAccounts
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Log
}

/** The limits of callers on one server thread; the account of each is that of all threads. */
export class CallerLimits {
  readonly #limits: UserLimits
  readonly #shared: SharedAccounts
  readonly #clock: Clock
  readonly #refusals: { inc(labels: { limit: string; caller: string }): void }
  readonly #warn: ThrottledWarning
  readonly #known: Readonly<Record<AccountKind, RecentMap<string, Account>>> = {
    users: new RecentMap(KNOWN_MAX),
    addresses: new RecentMap(KNOWN_MAX),
  }

  constructor({ limits, shared, clock, metrics, log }: CallLimitsOptions) {
    this.#limits = limits
    this.#shared = shared
    this.#clock = clock
    this.#refusals = metrics.counter(LIMIT_REFUSALS)
    this.#warn = createThrottledWarning(log, clock, 'A caller is over its limits and refused.')
  }

  /** Charges a call. Throws LIMIT_EXCEEDED where its caller owes too much already; then it costs nothing. */
  admit(who: LimitedCaller, cost: CostClass, needsEngine: boolean): void {
    const account = this.#accountOf(who)
    if (account === undefined || cost === 'free') return
    const nowUs = this.#nowUs()
    this.#check(account, 'requests', nowUs)
    if (needsEngine) this.#check(account, 'engine-seconds', nowUs)
    this.#addRequests(account, COST_CLASSES[cost], nowUs)
  }

  /** Asked again when a call has waited for an engine: meanwhile others of the same caller have used it. */
  admitToEngine(who: LimitedCaller): EngineAccount | undefined {
    const account = this.#accountOf(who)
    if (account?.engineUsPerUs === undefined) return undefined
    this.#check(account, 'engine-seconds', this.#nowUs())
    return { place: account.place, usPerUs: account.engineUsPerUs }
  }

  chargeEngine(who: LimitedCaller, ms: number): void {
    const account = this.#accountOf(who)
    if (account?.engineUsPerUs === undefined) return
    chargeEngine(this.#shared, { place: account.place, usPerUs: account.engineUsPerUs }, ms, this.#clock)
  }

  /** A subscription had something to tell. */
  chargeNotification(who: LimitedCaller): void {
    const account = this.#accountOf(who)
    if (account !== undefined) this.#addRequests(account, COST_CLASSES.light, this.#nowUs(), NOTIFIED_MOST_US)
  }

  /** undefined: the program that the node is part of. */
  #accountOf({ caller: { account: user }, remoteAddress }: LimitedCaller): Account | undefined {
    const name = user ?? remoteAddress
    if (name === undefined) return undefined
    const kind = user === undefined ? 'addresses' : 'users'
    const known = this.#known[kind].get(name)
    if (known === undefined) {
      const account = this.#open(kind, kind === 'users' ? name : ipBucket(name))
      this.#known[kind].set(name, account)
      return account
    }
    if (!isThere(this.#shared, known.place)) known.place = placeAccount(this.#shared, kind, known.name)
    return known
  }

  #open(kind: AccountKind, name: string): Account {
    const allowance: UserAllowance = this.#limits[kind].get(name) ?? this.#limits.each
    const { requests, 'engine-seconds': engineSeconds } = allowance
    return {
      name,
      place: placeAccount(this.#shared, kind, name),
      requestUs: requests && MINUTE_US / requests,
      engineUsPerUs: engineSeconds && MINUTE_US / 1e6 / engineSeconds,
    }
  }

  #check({ name, place, requestUs, engineUsPerUs }: Account, limited: Limited, nowUs: bigint): void {
    if ((limited === 'requests' ? requestUs : engineUsPerUs) === undefined) return
    const waitUs = debtUs(this.#shared, place, limited, nowUs) - BURST_US
    if (waitUs <= 0n) return
    const retryAfterSeconds = Math.ceil(Number(waitUs) / 1e6)
    const caller = place.kind === 'users' ? 'user' : 'address'
    this.#refusals.inc({ limit: limited, caller })
    this.#warn({ [caller]: name, limit: limited, retryAfterSeconds })
    throw limitFault(limited, caller, retryAfterSeconds)
  }

  #addRequests({ place, requestUs }: Account, units: number, nowUs: bigint, mostUs?: bigint): void {
    if (requestUs === undefined) return
    addDebt(this.#shared, place, 'requests', BigInt(Math.ceil(requestUs * units)), nowUs, mostUs)
  }

  #nowUs(): bigint {
    return microseconds(this.#clock)
  }
}

/** For any thread that executes code. */
export function chargeEngine(
  shared: SharedAccounts,
  { place, usPerUs }: EngineAccount,
  ms: number,
  clock: Pick<Clock, 'monotonicMs'>,
): void {
  addDebt(shared, place, 'engine-seconds', BigInt(Math.ceil(ms * 1_000 * usPerUs)), microseconds(clock))
}

/** Seconds after which a refused caller may try again; undefined: the error says none. */
export function retryAfterOf({ data }: RpcErrorDetail): number | undefined {
  const wait = (data as { readonly retryAfterSeconds?: unknown } | undefined)?.retryAfterSeconds
  return typeof wait === 'number' ? wait : undefined
}

const USED_UP: Readonly<Record<Limited, string>> = {
  requests: 'requests per minute',
  'engine-seconds': 'time of execution per minute',
}

function limitFault(limit: Limited, caller: string, retryAfterSeconds: number) {
  return rpcFault('LIMIT_EXCEEDED', {
    reason: `this ${caller} has used up its ${USED_UP[limit]}; try again in ${retryAfterSeconds} s`,
    data: { limit, retryAfterSeconds },
  })
}

function microseconds(clock: Pick<Clock, 'monotonicMs'>): bigint {
  return BigInt(Math.floor(clock.monotonicMs() * 1_000))
}
