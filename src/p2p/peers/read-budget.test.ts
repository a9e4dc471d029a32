import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReadBudget } from './read-budget.ts'

const CODE = 20
const LIMIT = { perSecond: 5, floodSeconds: 3 }

/** Takes this many at once; returns the last verdict. */
function take(
  budget: ReadBudget,
  count: number,
  nowMs: number,
  limit: Parameters<ReadBudget['take']>[1] = LIMIT,
) {
  let verdict = { waitMs: 0, isFlood: false }
  for (let taken = 0; taken < count; taken++) verdict = budget.take(CODE, limit, nowMs)
  return verdict
}

test('a peer above its limit waits until the second is over', () => {
  const budget = new ReadBudget()
  assert.deepEqual(take(budget, 5, 100), { waitMs: 0, isFlood: false })
  assert.equal(take(budget, 1, 100).waitMs, 1_000)
  assert.equal(take(budget, 1, 700).waitMs, 400)
  assert.equal(budget.take(CODE + 1, LIMIT, 700).waitMs, 0, 'kinds are counted apart')
  assert.equal(take(budget, 5, 1_100).waitMs, 0)
})

test('a peer above its limit for enough consecutive seconds floods', () => {
  const budget = new ReadBudget()
  assert.equal(take(budget, 1_000, 0).isFlood, false)
  assert.equal(take(budget, 6, 1_000).isFlood, false)
  assert.equal(take(budget, 5, 2_001).isFlood, false)
  assert.equal(take(budget, 1, 2_001).isFlood, true)
})

test('a second within the limit and a pause reset the count', () => {
  const budget = new ReadBudget()
  for (const [count, nowMs] of [
    [6, 0],
    [6, 1_000],
    [5, 2_000],
    [6, 3_000],
    [6, 4_000],
    [6, 6_500],
    [6, 7_500],
  ] as const) {
    assert.equal(take(budget, count, nowMs).isFlood, false, `at ${nowMs} ms`)
  }
  assert.equal(take(budget, 6, 8_500).isFlood, true)
})

test('a message that may be load only waits', () => {
  const budget = new ReadBudget()
  for (let second = 0; second < 100; second++) {
    const { waitMs, isFlood } = take(budget, 6, second * 1_000, { perSecond: 5 })
    assert.deepEqual([waitMs, isFlood], [1_000, false])
  }
})

test('PING and PONG above the limit are a flood at once', () => {
  const budget = new ReadBudget()
  for (let count = 0; count < 10; count++) assert.equal(budget.take(2, undefined, 0).isFlood, false)
  assert.equal(budget.take(2, undefined, 0).isFlood, true)
})
