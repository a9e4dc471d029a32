import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quorumOf, toleratedFaults } from './bft-quorum.ts'

test('a quorum is two thirds of the validators, rounded up', () => {
  const sizes = [1, 2, 3, 4, 5, 7, 10, 15, 20]
  assert.deepEqual(sizes.map(quorumOf), [1, 2, 2, 3, 4, 5, 7, 10, 14])
})

test('any two quorums have more validators in common than may fail', () => {
  for (let n = 1; n <= 100; n++) assert.ok(2 * quorumOf(n) - n > toleratedFaults(n), `of ${n}`)
})
