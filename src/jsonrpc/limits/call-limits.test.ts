import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics, type Metrics } from '#platform/metrics/metrics.ts'
import { keptLog } from '#serve/serve.fixture.ts'
import { Fault } from '#types/fault.ts'
import { CallerLimits, chargeEngine, type LimitedCaller } from './call-limits.ts'
import { shareBuckets } from './shared-buckets.ts'
import { limitedUsers, readUserLimits, userLimitList } from './user-limits.ts'

const ANYONE = { mayCall: () => true }
const user = (account: string): LimitedCaller => ({ caller: { ...ANYONE, account } })
const address = (remoteAddress: string): LimitedCaller => ({ caller: ANYONE, remoteAddress })

/** `servers` threads with one set of buckets. */
function setUp(option: string, servers = 1) {
  const clock = createFakeClock()
  const shared = shareBuckets(new Uint8Array(32))
  const book = () => createMetrics({ prefix: '', onSourceError: () => assert.fail() })
  const metrics = book()
  const { log, lines } = keptLog()
  const limits = readUserLimits(userLimitList.parse(option))!
  const each = (counts: Metrics) => new CallerLimits({ limits, shared, clock, metrics: counts, log })
  const first = each(metrics)
  const others = Array.from({ length: servers - 1 }, () => each(book()))
  const passes = (who: LimitedCaller, from = first, cost: 'light' | 'heavy' | 'free' = 'light'): boolean => {
    try {
      from.admit(who, cost, true)
      return true
    } catch (error) {
      if (error instanceof Fault && error.kind === 'LIMIT_EXCEEDED') return false
      throw error
    }
  }
  const count = (who: LimitedCaller, from = first): number => {
    let passed = 0
    while (passed < 100_000 && passes(who, from)) passed++
    return passed
  }
  return { clock, shared, limits: first, others, metrics, lines, passes, count }
}

test('a caller that has used up its requests gets the waiting time', async () => {
  const { limits, clock, count, passes, metrics, lines } = setUp('requests=60')
  assert.equal(count(user('alice')), 11)
  assert.throws(() => limits.admit(user('alice'), 'light', false), {
    kind: 'LIMIT_EXCEEDED',
    data: {
      sentence: 'Limit exceeded (this user has used up its requests per minute; try again in 1 s)',
      reason: 'this user has used up its requests per minute; try again in 1 s',
      data: { limit: 'requests', retryAfterSeconds: 1 },
    },
  })
  clock.advance(1_000)
  assert.equal(passes(user('alice')), true)
  assert.equal(passes(user('alice')), false)
  clock.advance(60_000)
  assert.equal(count(user('alice')), 11)
  assert.match(
    (await metrics.exposition()).body,
    /rpc_limit_refusals_total\{limit="requests",caller="user"\} 4/,
  )
  assert.match(JSON.stringify(lines), /alice.*over its limits/)
})

test('one user is refused, others are not: nor is one with the name of an address', () => {
  const { count, passes } = setUp('requests=60')
  assert.equal(count(user('10.0.0.1')), 11)
  assert.equal(passes(user('bob')), true)
  assert.equal(passes(address('10.0.0.1')), true)
})

test('a bucket is one for all threads', () => {
  const { others, count } = setUp('requests=60', 3)
  assert.equal(count(user('alice')), 11)
  for (const other of others) assert.equal(count(user('alice'), other), 0)
})

test('addresses of one IPv6 network are one caller, and IPv4 inside IPv6 is IPv4', () => {
  const { count, passes } = setUp('requests=60')
  assert.equal(count(address('2001:db8::1')), 11)
  assert.equal(passes(address('2001:db8::ffff:1')), false)
  assert.equal(passes(address('2001:db8:0:1::1')), true)
  assert.equal(count(address('::ffff:10.0.0.1')), 11)
  assert.equal(passes(address('10.0.0.1')), false)
})

test('heavy methods cost more, free ones nothing, also to who is over its limits', () => {
  const { passes, count } = setUp('requests=60')
  assert.equal(passes(user('alice'), undefined, 'heavy'), true)
  assert.equal(passes(user('alice')), false)
  assert.equal(passes(user('alice'), undefined, 'free'), true)
  assert.equal(count(user('bob')), 11)
})

test('time of engines is charged when it is known, by any thread, and worked off at the pace of the limit', async () => {
  const { limits, clock, shared, passes } = setUp('engine-seconds=6')
  const bucket = limits.admitToEngine(user('alice'))!
  assert.equal(passes(user('alice')), true)
  chargeEngine(shared, bucket, 2_000, clock)
  assert.equal(passes(user('alice')), false)
  assert.throws(() => limits.admitToEngine(user('alice')), { kind: 'LIMIT_EXCEEDED' })
  // 2 s are worked off in 20 s, and 10 s ahead are allowed.
  clock.advance(9_000)
  assert.equal(passes(user('alice')), false)
  clock.advance(1_001)
  assert.equal(passes(user('alice')), true)
  limits.admit(user('alice'), 'light', false)
})

test('calls without an engine pass while execution time is used up', () => {
  const { limits, passes } = setUp('engine-seconds=6')
  limits.chargeEngine(user('alice'), 60_000)
  assert.equal(passes(user('alice')), false)
  limits.admit(user('alice'), 'light', false)
})

test('notifications are charged, but delay a caller by at most a minute', async () => {
  const { limits, clock, passes } = setUp('requests=60')
  for (let told = 0; told < 10_000; told++) limits.chargeNotification(user('alice'))
  assert.equal(passes(user('alice')), false)
  clock.advance(60_001)
  assert.equal(passes(user('alice')), true)
})

test('a user may have specific limits, general limits apply to the rest, and 0 means unlimited', () => {
  const { count } = setUp(
    'requests=60,alice:requests=120,bob:requests=0,carol:engine-seconds=1,10.0.0.7:requests=6',
  )
  assert.equal(count(user('alice')), 21)
  assert.equal(count(user('bob')), 100_000)
  assert.equal(count(user('carol')), 11)
  assert.equal(count(address('10.0.0.7')), 2)
  assert.equal(count(address('10.0.0.8')), 11)
})

test('the program that the node is part of is not limited', () => {
  const { count } = setUp('requests=60')
  assert.equal(count({ caller: ANYONE }), 100_000)
})

test('too many addresses evict no user, and among addresses the smallest debt first', () => {
  const { limits, count, passes } = setUp('requests=60')
  assert.equal(count(user('alice')), 11)
  // Owes for much longer than those who come and go.
  for (let times = 0; times < 30; times++) limits.chargeNotification(address('203.0.113.9'))
  for (let stranger = 0; stranger < 50_000; stranger++) {
    const [high, low] = [stranger >> 8, stranger & 255]
    assert.equal(passes(address(`10.${high >> 8}.${high & 255}.${low}`)), true)
  }
  assert.equal(passes(user('alice')), false)
  assert.equal(passes(address('203.0.113.9')), false)
})

test('an invalid or repeated limit is reported', () => {
  for (const wrong of ['requests', 'requests=-1', 'requests=1.5', 'alice:', 'cpu=3', 'requests=1e3']) {
    assert.throws(() => userLimitList.parse(wrong), { kind: 'USAGE' }, wrong)
  }
  assert.throws(() => userLimitList.parse('requests=1,requests=2'), /second of its kind/)
  assert.equal(
    userLimitList.format(userLimitList.parse('requests=1,a:b:requests=2')),
    'requests=1,a:b:requests=2',
  )
  assert.equal(readUserLimits(userLimitList.parse('requests=0')), undefined)
})

test('an entry that can match no client is refused', () => {
  for (const who of [
    '127.0.0.0/8',
    '[127.0.0.1]',
    '[::1]',
    '127.0.0.1:8545',
    '10.0.0.256',
    '10.0.0',
    '010.0.0.7',
    '2001:db8::/32',
    'fe80::1%eth0',
    '2001:db8:0:0:0:0:0:0:1',
    '0.0.0.0',
    '::',
    '0::0',
  ]) {
    assert.throws(() => userLimitList.parse(`${who}:requests=6`), /limits no one/, who)
  }
})

test('users may have unusual names, and every spelling of an address is one address', () => {
  const names = ['alice', 'a.b', 'alice@example.org', 'system:serviceaccount:default:app', '007', 'auth0|12']
  assert.deepEqual(limitedUsers(userLimitList.parse(names.map((name) => `${name}:requests=6`).join())), names)
  assert.deepEqual(limitedUsers(userLimitList.parse('10.0.0.7:requests=6,::1:requests=6,requests=7')), [])
  for (const [one, other] of [
    ['10.0.0.7', '::ffff:10.0.0.7'],
    ['2001:db8::1', '2001:db8::2'],
  ]) {
    const twice = () => userLimitList.parse(`${one}:requests=6,${other}:requests=7`)
    assert.throws(twice, /second of its kind/)
  }
})
