import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { PassOnBudget, PeerBudget } from './peer-budget.ts'

const [ONE, OTHER] = [parseAddress('11'.repeat(20)), parseAddress('22'.repeat(20))]
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => parseAddress((index + 1).toString(16).padStart(40, '0')))
const FOUR = [ONE, OTHER, ...addresses(2)]

test('a validator above its budget is ignored until the next second, and the others are not', () => {
  const budget = new PeerBudget()
  const taken = Array.from({ length: 1_000 }, () => budget.take(ONE, 200, FOUR, 0)).filter(Boolean)
  assert.equal(taken.length, 260)
  assert.ok(budget.take(OTHER, 200, FOUR, 999))
  assert.ok(budget.take(ONE, 200, FOUR, 1_000))
})

test('all non-validator peers share one budget, and validators keep theirs', () => {
  const budget = new PeerBudget()
  const strangers = addresses(30).slice(5)
  const flood = (nowMs: number): number =>
    Array.from({ length: 500 }, () => strangers.map((peer) => budget.take(peer, 200, FOUR, nowMs)))
      .flat()
      .filter(Boolean).length
  assert.ok(flood(0) <= 260)
  assert.ok(flood(1_000) <= 260)
  for (const validator of FOUR) assert.ok(budget.take(validator, 200, FOUR, 1_500))
})

test('a non-validator peer is heard next to flooding ones', () => {
  const budget = new PeerBudget()
  const [honest, ...strangers] = addresses(30).slice(5)
  const flood = (nowMs: number): void => {
    for (let sent = 0; sent < 500; sent++) for (const peer of strangers) budget.take(peer, 200, FOUR, nowMs)
  }
  budget.take(honest!, 200, FOUR, 0)
  flood(0)
  flood(1_000)
  const heard = Array.from({ length: 20 }, () => budget.take(honest!, 200, FOUR, 1_900)).filter(Boolean)
  assert.equal(heard.length, Math.floor(260 / 25))
})

test('large messages of non-validator peers share the bytes of two', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  const heard = addresses(30)
    .slice(5)
    .filter((peer) => budget.take(peer, size, FOUR, 0))
  assert.equal(heard.length, 2)
})

test('non-validator peers are read slower in the long run than in a burst', () => {
  const budget = new PeerBudget()
  const size = 128 * 1024
  const strangers = addresses(9).slice(5)
  let bytes = 0
  for (let second = 0; second < 60; second++) {
    for (let sent = 0; sent < 260; sent++) {
      for (const peer of strangers) if (budget.take(peer, size, FOUR, second * 1_000)) bytes += size
    }
  }
  const MIB = 1024 * 1024
  assert.ok(bytes >= 100 * MIB && bytes <= (32 + 60 * 2 + 16) * MIB, `${bytes / MIB} MiB were heard`)
})

test('the largest message is accepted at the expense of later ones', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  const heard = Array.from({ length: 60 }, (_, second) =>
    budget.take(addresses(9)[6]!, size, FOUR, second * 1_000),
  )
  assert.ok(heard.filter(Boolean).length <= 2 + 60 / 8 + 1)
})

test('a peer that continues after a refusal waits longer each time, until a quiet minute', () => {
  const budget = new PeerBudget()
  const stranger = addresses(9)[6]!
  let nowMs = 0
  const waits: number[] = []
  const flood = (): void => {
    while (budget.take(stranger, 200, FOUR, nowMs));
    budget.take(stranger, 200, FOUR, nowMs)
    waits.push(budget.waitMs(stranger, nowMs))
    nowMs += waits.at(-1)!
  }
  for (let time = 0; time < 6; time++) flood()
  nowMs += 60_000
  flood()
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 1_000])
})

test('two of the largest messages of a validator are accepted per second', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  assert.deepEqual(
    [1, 2, 3].map(() => budget.take(ONE, size, FOUR, 0)),
    [true, true, false],
  )
})

test('relayed messages are limited per author and kind', () => {
  const budget = new PassOnBudget()
  const taken = Array.from({ length: 100 }, () => budget.take(ONE, 'prepare', 200, 4, 0)).filter(Boolean)
  assert.equal(taken.length, 5)
  assert.ok(budget.take(ONE, 'commit', 200, 4, 999))
  assert.ok(budget.take(OTHER, 'prepare', 200, 4, 999))
  assert.ok(!budget.take(ONE, 'prepare', 200, 4, 999))
  assert.ok(budget.take(ONE, 'prepare', 200, 4, 1_000))
})

test('large messages share a byte budget per second, except for the first and small ones', () => {
  const budget = new PassOnBudget()
  const MIB = 1024 * 1024
  assert.ok(budget.take(ONE, 'proposal', 16 * MIB, 4, 0))
  assert.ok(!budget.take(OTHER, 'proposal', 5_000, 4, 0))
  assert.ok(budget.take(OTHER, 'prepare', 4_096, 4, 0))
  assert.ok(budget.take(OTHER, 'proposal', 4 * MIB, 4, 1_000))
  assert.ok(budget.take(FOUR[2]!, 'proposal', 4 * MIB, 4, 1_000))
  assert.ok(!budget.take(FOUR[3]!, 'roundChange', 4_097, 4, 1_000))
})

test('an author of large messages that is always first leaves room for the others', () => {
  const budget = new PassOnBudget()
  const MIB = 1024 * 1024
  const passed = { early: 0, late: 0 }
  for (let nowMs = 0; nowMs < 60_000; nowMs += 1_000) {
    if (budget.take(ONE, 'proposal', 9 * MIB, 4, nowMs)) passed.early++
    if (budget.take(OTHER, 'roundChange', 3 * MIB, 4, nowMs)) passed.late++
  }
  assert.deepEqual(passed, { early: 14, late: 39 })
})

/** The worst case of honest peers: their seconds begin at other times than the receiver's. */
test('a peer that relays its maximum is heard, including its own messages', () => {
  for (const validators of [4, 7, 100]) {
    const [passOn, budget] = [new PassOnBudget(), new PeerBudget()]
    const all = [ONE, OTHER, ...addresses(validators - 2)]
    assert.ok(budget.take(OTHER, 200, all, 500))
    for (const nowMs of [600, 1_499]) {
      for (const author of all.slice(2)) {
        for (const kind of ['proposal', 'prepare', 'commit', 'roundChange'] as const) {
          while (passOn.take(author, kind, 200, validators, nowMs < 1_000 ? 0 : 1_000))
            assert.ok(budget.take(ONE, 200, all, nowMs))
        }
      }
      for (let own = 0; own < 40; own++) assert.ok(budget.take(ONE, 200, all, nowMs))
    }
  }
})
