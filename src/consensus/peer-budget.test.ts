import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { PassOnBudget, PeerBudget } from './peer-budget.ts'

const [ONE, OTHER] = [parseAddress('11'.repeat(20)), parseAddress('22'.repeat(20))]
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => parseAddress((index + 1).toString(16).padStart(40, '0')))
const FOUR = [ONE, OTHER, ...addresses(2)]

test('a validator that sends more than validators write is not heard until the next second, and the others are', () => {
  const budget = new PeerBudget()
  const taken = Array.from({ length: 1_000 }, () => budget.take(ONE, 200, FOUR, 0)).filter(Boolean)
  assert.equal(taken.length, 260)
  assert.ok(budget.take(OTHER, 200, FOUR, 999))
  assert.ok(budget.take(ONE, 200, FOUR, 1_000))
})

test('peers that are not validators share one budget, however many they are, and validators keep theirs', () => {
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

test('a peer that is not a validator is heard next to others that send without end', () => {
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

test('large messages of peers that are not validators share the bytes of two', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  const heard = addresses(30)
    .slice(5)
    .filter((peer) => budget.take(peer, size, FOUR, 0))
  assert.equal(heard.length, 2)
})

test('two of the largest messages of a validator are heard in a second, and no third', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  assert.deepEqual(
    [1, 2, 3].map(() => budget.take(ONE, size, FOUR, 0)),
    [true, true, false],
  )
})

test('what is passed on of an author is bounded for each kind, and leaves the other authors theirs', () => {
  const budget = new PassOnBudget()
  const taken = Array.from({ length: 100 }, () => budget.take(ONE, 'prepare', 200, 0)).filter(Boolean)
  assert.equal(taken.length, 5)
  assert.ok(budget.take(ONE, 'commit', 200, 999))
  assert.ok(budget.take(OTHER, 'prepare', 200, 999))
  assert.ok(!budget.take(ONE, 'prepare', 200, 999))
  assert.ok(budget.take(ONE, 'prepare', 200, 1_000))
})

test('long messages share what is passed on in a second, one goes however long it is, and short ones always', () => {
  const budget = new PassOnBudget()
  const MIB = 1024 * 1024
  assert.ok(budget.take(ONE, 'proposal', 16 * MIB, 0))
  assert.ok(!budget.take(OTHER, 'proposal', 5_000, 0))
  assert.ok(budget.take(OTHER, 'prepare', 4_096, 0))
  assert.ok(budget.take(OTHER, 'proposal', 4 * MIB, 1_000))
  assert.ok(budget.take(ONE, 'proposal', 4 * MIB, 1_000))
  assert.ok(!budget.take(ONE, 'roundChange', 4_097, 1_000))
})

/** The worst that honest peers do: their seconds begin at other times than those of who hears them. */
test('a peer that passes on all it may is heard, with its own votes beside', () => {
  for (const validators of [4, 7, 100]) {
    const [passOn, budget] = [new PassOnBudget(), new PeerBudget()]
    const all = [ONE, OTHER, ...addresses(validators - 2)]
    assert.ok(budget.take(OTHER, 200, all, 500))
    for (const nowMs of [600, 1_499]) {
      for (const author of all.slice(2)) {
        for (const kind of ['proposal', 'prepare', 'commit', 'roundChange'] as const) {
          while (passOn.take(author, kind, 200, nowMs < 1_000 ? 0 : 1_000))
            assert.ok(budget.take(ONE, 200, all, nowMs))
        }
      }
      for (let own = 0; own < 40; own++) assert.ok(budget.take(ONE, 200, all, nowMs))
    }
  }
})
