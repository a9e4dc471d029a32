import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { type RpcErrorDetail, rpcFault } from '#jsonrpc/errors.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'
import { createThrottledWarning, type ThrottledWarning } from '#serve/throttled-warning.ts'
import { ipBucket } from '#types/ip.ts'
import { COST_CLASSES, type CostClass } from './cost-class.ts'
import { RecentMap } from './recent-map.ts'
import {
  addDebt,
  type BucketKind,
  type BucketPlace,
  debtUs,
  isThere,
  type Limited,
  placeBucket,
  type SharedBuckets,
} from './shared-buckets.ts'
import type { UserAllowance, UserLimits } from './user-limits.ts'

const MINUTE_US = 60_000_000
const SECOND_US = 1_000_000n
/** A caller may use at once what it may use in this time. */
const BURST_US = 10n * SECOND_US
/** Notifications are never refused; this limits how long their receiver has to wait afterwards. */
const NOTIFIED_MOST_US = BURST_US + 60n * SECOND_US
/** Callers whose place need not be computed again. */
const KNOWN_MAX = 4_096

export const LIMIT_REFUSALS: CounterRow<'limit' | 'caller'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'limit_refusals',
  help: 'Calls refused by --rpc-user-limits, by limit and caller kind',
  labels: ['limit', 'caller'],
}

export type LimitedCaller = Pick<CallContext, 'caller' | 'remoteAddress'>

export interface EngineBucket {
  readonly place: BucketPlace
  /** Debt in microseconds per microsecond of engine time. */
  readonly usPerUs: number
}

interface Bucket {
  readonly name: string
  place: BucketPlace
  /** Debt in microseconds per request; undefined if requests are not limited. */
  readonly requestUs: number | undefined
  readonly engineUsPerUs: number | undefined
}

export interface CallLimitsOptions {
  readonly limits: UserLimits
  readonly shared: SharedBuckets
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Log
}

/** The limits of callers on one server thread; all threads share the buckets. */
export class CallerLimits {
  readonly #options: CallLimitsOptions
  readonly #refusals: { inc(labels: { limit: string; caller: string }): void }
  readonly #warn: ThrottledWarning
  readonly #known: Readonly<Record<BucketKind, RecentMap<string, Bucket>>> = {
    users: new RecentMap(KNOWN_MAX),
    addresses: new RecentMap(KNOWN_MAX),
  }

  constructor(options: CallLimitsOptions) {
    const { clock, metrics, log } = options
    this.#options = options
    this.#refusals = metrics.counter(LIMIT_REFUSALS)
    this.#warn = createThrottledWarning(log, clock, JSONRPC_PROBLEMS.callerOverLimit)
  }

  /** Charges a call. Throws LIMIT_EXCEEDED, and charges nothing, if its caller owes too much. */
  admit(who: LimitedCaller, cost: CostClass, needsEngine: boolean): void {
    const bucket = this.#bucketOf(who)
    if (bucket === undefined || cost === 'free') return
    const nowUs = this.#nowUs()
    this.#check(bucket, 'requests', nowUs)
    if (needsEngine) this.#check(bucket, 'engine-seconds', nowUs)
    this.#addRequests(bucket, COST_CLASSES[cost], nowUs)
  }

  /** Checks again when a call has waited for an engine: others of its caller have used it meanwhile. */
  admitToEngine(who: LimitedCaller): EngineBucket | undefined {
    const bucket = this.#bucketOf(who)
    if (bucket?.engineUsPerUs === undefined) return undefined
    this.#check(bucket, 'engine-seconds', this.#nowUs())
    return { place: bucket.place, usPerUs: bucket.engineUsPerUs }
  }

  chargeEngine(who: LimitedCaller, ms: number): void {
    const bucket = this.#bucketOf(who)
    if (bucket?.engineUsPerUs === undefined) return
    chargeEngine(
      this.#options.shared,
      { place: bucket.place, usPerUs: bucket.engineUsPerUs },
      ms,
      this.#options.clock,
    )
  }

  chargeNotification(who: LimitedCaller): void {
    const bucket = this.#bucketOf(who)
    if (bucket !== undefined) this.#addRequests(bucket, COST_CLASSES.light, this.#nowUs(), NOTIFIED_MOST_US)
  }

  /** Undefined for the embedding program. */
  #bucketOf({ caller: { account: user }, remoteAddress }: LimitedCaller): Bucket | undefined {
    const name = user ?? remoteAddress
    if (name === undefined) return undefined
    const kind = user === undefined ? 'addresses' : 'users'
    const known = this.#known[kind].get(name)
    if (known === undefined) {
      const bucket = this.#open(kind, kind === 'users' ? name : ipBucket(name))
      this.#known[kind].set(name, bucket)
      return bucket
    }
    if (!isThere(this.#options.shared, known.place))
      known.place = placeBucket(this.#options.shared, kind, known.name)
    return known
  }

  #open(kind: BucketKind, name: string): Bucket {
    const allowance: UserAllowance = this.#options.limits[kind].get(name) ?? this.#options.limits.each
    const { requests, 'engine-seconds': engineSeconds } = allowance
    return {
      name,
      place: placeBucket(this.#options.shared, kind, name),
      requestUs: requests && MINUTE_US / requests,
      engineUsPerUs: engineSeconds && MINUTE_US / 1e6 / engineSeconds,
    }
  }

  #check({ name, place, requestUs, engineUsPerUs }: Bucket, limited: Limited, nowUs: bigint): void {
    if ((limited === 'requests' ? requestUs : engineUsPerUs) === undefined) return
    const waitUs = debtUs(this.#options.shared, place, limited, nowUs) - BURST_US
    if (waitUs <= 0n) return
    const retryAfterSeconds = Math.ceil(Number(waitUs) / 1e6)
    const caller = place.kind === 'users' ? 'user' : 'address'
    this.#refusals.inc({ limit: limited, caller })
    this.#warn({ [caller]: name, limit: limited, retryAfterSeconds })
    throw limitFault(limited, caller, retryAfterSeconds)
  }

  #addRequests({ place, requestUs }: Bucket, units: number, nowUs: bigint, mostUs?: bigint): void {
    if (requestUs === undefined) return
    addDebt(this.#options.shared, place, 'requests', BigInt(Math.ceil(requestUs * units)), nowUs, mostUs)
  }

  #nowUs(): bigint {
    return microseconds(this.#options.clock)
  }
}

/** Used on server and engine threads. */
export function chargeEngine(
  shared: SharedBuckets,
  { place, usPerUs }: EngineBucket,
  ms: number,
  clock: Pick<Clock, 'monotonicMs'>,
): void {
  addDebt(shared, place, 'engine-seconds', BigInt(Math.ceil(ms * 1_000 * usPerUs)), microseconds(clock))
}

/** Seconds until a refused caller may retry; undefined if the error has none. */
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
