import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WindowQuantiles } from './window-quantiles.ts'

const WINDOW_MS = 500
const RANKS = [0.2, 0.5, 0.95, 1]
const create = () => new WindowQuantiles(WINDOW_MS, 0)

test('without values every quantile is zero', () => {
  assert.deepEqual(create().quantiles(RANKS, 0), [0, 0, 0, 0])
})

test('one value is every quantile, exactly; so is zero', () => {
  for (const value of [0.5, 0, 3e-9, 1e12]) {
    const quantiles = create()
    quantiles.observe(value, 0)
    assert.deepEqual(quantiles.quantiles(RANKS, 0), [value, value, value, value])
  }
})

test('quantiles over nine orders of magnitude are within 0.6 %, the largest value is exact', () => {
  const quantiles = create()
  const values = Array.from({ length: 10_000 }, (_, index) => 1e-6 * 1.0021 ** index)
  // Observes the values in a shuffled order.
  for (let index = 0; index < values.length; index++) {
    quantiles.observe(values[(index * 7_919) % values.length]!, 0)
  }
  const told = quantiles.quantiles(RANKS, 0)
  for (const [index, rank] of RANKS.entries()) {
    const exact = values[Math.ceil(rank * values.length) - 1]!
    assert.ok(Math.abs(told[index]! / exact - 1) < 0.006, `${rank}: ${told[index]} for ${exact}`)
  }
  assert.equal(told.at(-1), values.at(-1))
})

test('values expire when the window has passed, a fifth of it at a time', () => {
  const quantiles = create()
  quantiles.observe(8, 0)
  quantiles.observe(4, 150)
  quantiles.observe(2, 499)
  const largestAt = (nowMs: number) => quantiles.quantiles([1], nowMs)[0]
  assert.equal(largestAt(499), 8)
  assert.equal(largestAt(500), 4)
  assert.equal(largestAt(599), 4)
  assert.equal(largestAt(600), 2)
  assert.equal(largestAt(60_000), 0)
  quantiles.observe(1, 60_001)
  assert.equal(largestAt(60_002), 1)
})
