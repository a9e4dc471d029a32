import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLoginLimit } from './login-limit.ts'

const ADDRESS = '192.0.2.1'

function admitted(limit: ReturnType<typeof createLoginLimit>, address: string, tries: number): number {
  let count = 0
  for (let index = 0; index < tries; index += 1) if (limit.admit(address).ok) count += 1
  return count
}

test('an address may use up a minute at once and then gets its attempts back one by one', () => {
  for (const perMinute of [1, 6, 7, 600]) {
    const clock = createFakeClock()
    const limit = createLoginLimit(clock, perMinute)
    assert.equal(admitted(limit, ADDRESS, perMinute + 5), perMinute)
    clock.advance(60_000 / perMinute)
    assert.equal(admitted(limit, ADDRESS, 5), 1)
    clock.advance(120_000)
    assert.equal(admitted(limit, ADDRESS, perMinute + 5), perMinute)
  }
})

test('a refusal gives the waiting time, and a client that waits is admitted', () => {
  const clock = createFakeClock()
  const limit = createLoginLimit(clock, 4)
  admitted(limit, ADDRESS, 4)
  const refusal = limit.admit(ADDRESS)
  assert.deepEqual(refusal, { ok: false, retryAfterSeconds: 15 })
  admitted(limit, ADDRESS, 100)
  clock.advance(15_000)
  assert.equal(limit.admit(ADDRESS).ok, true)
})

test('addresses do not disturb one another', () => {
  const limit = createLoginLimit(createFakeClock(), 2)
  assert.equal(admitted(limit, ADDRESS, 5), 2)
  assert.equal(admitted(limit, '192.0.2.2', 5), 2)
})

test('texts of one address, and all addresses of one IPv6 network, count as one', () => {
  const same = [
    ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['2001:db8:1:2::1', '2001:db8:1:2:aaaa::2', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff'],
    ['fe80::1%eth0', 'fe80::2'],
    ['::1', '::2'],
  ]
  for (const texts of same) {
    const limit = createLoginLimit(createFakeClock(), texts.length)
    for (const text of texts) assert.equal(limit.admit(text).ok, true, text)
    assert.equal(limit.admit(texts[0] ?? '').ok, false, texts[0])
  }
  const limit = createLoginLimit(createFakeClock(), 1)
  assert.equal(limit.admit('2001:db8:1:2::1').ok, true)
  assert.equal(limit.admit('2001:db8:1:3::1').ok, true)
})

test('0 switches the limit off', () => {
  assert.equal(admitted(createLoginLimit(createFakeClock(), 0), ADDRESS, 10_000), 10_000)
})

test('the table of addresses is bounded, and who keeps trying is not forgotten', () => {
  const limit = createLoginLimit(createFakeClock(), 1, 100)
  limit.admit(ADDRESS)
  for (let index = 0; index < 10_000; index += 1) {
    limit.admit(`10.0.${index >> 8}.${index & 255}`)
    assert.equal(limit.admit(ADDRESS).ok, false)
  }
})

test('the groups that :: stands for are counted', () => {
  const limit = createLoginLimit(createFakeClock(), 1)
  for (const [address, isNew] of [
    ['2001::1:2:3:4:5', true],
    ['2001:0:0:1::9', false],
    ['2001::9', true],
    ['::1:2:3:4:5', true],
    ['0:0:0:1::', false],
  ] as const) {
    assert.equal(limit.admit(address).ok, isNew, address)
  }
})
