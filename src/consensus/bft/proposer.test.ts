import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import { proposerOf } from './proposer.ts'

const [zero, a, b, c, d] = ['00', '11', '22', '33', '44'].map((byte) => parseAddress(byte.repeat(20))) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

test('the validator after the last author proposes, and each round is one further', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((round) => proposerOf(a, [a, b, c], round)),
    [b, c, a, b],
  )
  assert.equal(proposerOf(c, [a, b, c], 0), a)
})

test('after an author who is no validator the next address proposes, without stepping over it', () => {
  assert.equal(proposerOf(b, [a, c, d], 0), c)
  assert.equal(proposerOf(b, [a, c, d], 1), d)
  assert.equal(proposerOf(zero, [a, b], 0), a)
  assert.equal(proposerOf(d, [a, b, c], 0), a)
  assert.equal(proposerOf(d, [a, b, c], 4), b)
})
