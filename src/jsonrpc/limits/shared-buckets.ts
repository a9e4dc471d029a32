/**
 * What each caller has used, in memory shared by all server and engine threads: checking costs no message, and a
 * caller has one bucket on all threads. The size is fixed. If many callers share a set, the bucket that owes least
 * is forgotten and starts empty again, so no caller is refused because of another. A bucket has two times: when its
 * requests, and its engine time, are worked off. A wait is how far that is ahead of the monotonic clock.
 */
import { createHmac } from 'node:crypto'

/** Buckets per set of the table. */
const WAYS = 8
const SETS = 1_024
/** The key, and one time for each of `Limited`. */
const SLOT_WORDS = 3
const WORD_BYTES = 8
const NOBODY = 0n

/** The word of each limit in a slot. */
export const LIMITED = { requests: 1, 'engine-seconds': 2 } as const
export type Limited = keyof typeof LIMITED

export interface SharedBuckets {
  /** Users and addresses are separate: callers with many addresses cannot displace users. */
  readonly users: BigInt64Array
  readonly addresses: BigInt64Array
  /** Hides the place of a bucket, so callers cannot aim at another's. */
  readonly secret: Uint8Array
}

export type BucketKind = 'users' | 'addresses'

/** Plain data, so that it can be sent to an engine thread. */
export interface BucketPlace {
  readonly kind: BucketKind
  readonly at: number
  readonly key: bigint
}

export function shareBuckets(secret: Uint8Array): SharedBuckets {
  const table = () => new BigInt64Array(new SharedArrayBuffer(SETS * WAYS * SLOT_WORDS * WORD_BYTES))
  return { users: table(), addresses: table(), secret }
}

/** Returns the place of this bucket, which it takes if necessary. */
export function placeBucket(shared: SharedBuckets, kind: BucketKind, name: string): BucketPlace {
  const digest = createHmac('sha256', shared.secret).update(name).digest()
  const key = digest.readBigInt64LE() || 1n
  const first = (digest.readUInt16LE(WORD_BYTES) % SETS) * WAYS * SLOT_WORDS
  return { kind, at: claim(shared[kind], first, key), key }
}

export function isThere(shared: SharedBuckets, { kind, at, key }: BucketPlace): boolean {
  return Atomics.load(shared[kind], at) === key
}

/** Microseconds until everything used is worked off. */
export function debtUs(shared: SharedBuckets, { kind, at }: BucketPlace, of: Limited, nowUs: bigint): bigint {
  return later(Atomics.load(shared[kind], at + LIMITED[of]), nowUs) - nowUs
}

/** Adds debt, up to `mostUs`. */
export function addDebt(
  shared: SharedBuckets,
  place: BucketPlace,
  of: Limited,
  us: bigint,
  nowUs: bigint,
  mostUs?: bigint,
): void {
  // The bucket was forgotten meanwhile.
  if (!isThere(shared, place)) return
  const table = shared[place.kind]
  const word = place.at + LIMITED[of]
  for (;;) {
    const before = Atomics.load(table, word)
    let after = later(before, nowUs) + us
    if (mostUs !== undefined && after > nowUs + mostUs) after = later(before, nowUs + mostUs)
    if (Atomics.compareExchange(table, word, before, after) === before) return
  }
}

function claim(table: BigInt64Array, first: number, key: bigint): number {
  for (;;) {
    let least = first
    for (let way = 0; way < WAYS; way++) {
      const at = first + way * SLOT_WORDS
      if (Atomics.load(table, at) === key) return at
      if (owedUntil(table, at) < owedUntil(table, least)) least = at
    }
    const before = Atomics.load(table, least)
    if (Atomics.compareExchange(table, least, before, key) !== before) continue
    if (before !== NOBODY) for (const word of Object.values(LIMITED)) Atomics.store(table, least + word, 0n)
    return least
  }
}

/** An empty slot sorts before all others. */
function owedUntil(table: BigInt64Array, at: number): bigint {
  if (Atomics.load(table, at) === NOBODY) return -1n
  const times = Object.values(LIMITED).map((word) => Atomics.load(table, at + word))
  return times.reduce(later)
}

function later(one: bigint, other: bigint): bigint {
  return one < other ? other : one
}
