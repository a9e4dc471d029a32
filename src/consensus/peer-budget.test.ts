import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { PeerBudget } from './peer-budget.ts'

const [ONE, OTHER] = [parseAddress('11'.repeat(20)), parseAddress('22'.repeat(20))]

test('a peer that sends more than validators write is not heard until the next second, and the others are', () => {
  const budget = new PeerBudget()
  const taken = Array.from({ length: 1_000 }, () => budget.take(ONE, 200, 4, 0)).filter(Boolean)
  assert.equal(taken.length, 260)
  assert.ok(budget.take(OTHER, 200, 4, 999))
  assert.ok(budget.take(ONE, 200, 4, 1_000))
})

test('two of the largest messages of a peer are heard in a second, and no third', () => {
  const budget = new PeerBudget()
  const size = 16 * 1024 * 1024
  assert.deepEqual(
    [1, 2, 3].map(() => budget.take(ONE, size, 4, 0)),
    [true, true, false],
  )
})
